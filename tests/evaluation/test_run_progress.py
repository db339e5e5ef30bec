"""Progress over several passes: counts are of what was done, expectations of what is left."""

from evaluation.records import Clip, ItemId
from evaluation.run import plan
from evaluation.run_progress import Meter


def _clips(n: int) -> list[Clip]:
    return [
        Clip(
            item_id=ItemId(f"it-{i}"),
            sha256=f"{i:064x}",
            duration_s=1.0,
            rate_hz=16_000,
            bit_depth=16,
            source_format="WAV",
            source_channels=1,
        )
        for i in range(n)
    ]


def test_each_pass_has_its_own_pace_and_the_rest_is_expected_at_the_mean() -> None:
    """A quick first pass does not promise a quick second one once that has shown its pace."""
    now = [0.0]
    shards = plan(_clips(4), 2, ["shared", "emotion"])
    meter = Meter(shards, (), lambda: now[0])
    first = meter.enter("shared")
    assert (first.eta_s, first.seconds_per_clip) == (None, None)
    assert (first.shards_done, first.n_shards, first.clips_done, first.n_clips) == (0, 4, 0, 4)
    now[0] = 2.0
    second = meter.finish(shards[0])
    assert (second.seconds_per_clip, second.eta_s) == (1.0, 6.0)
    now[0] = 4.0
    assert meter.finish(shards[1]).eta_s == 4.0
    between = meter.enter("emotion")
    assert (between.pass_name, between.passes_done, between.n_passes) == ("emotion", 1, 2)
    assert (between.clips_done, between.seconds_per_clip, between.eta_s) == (0, None, 4.0)
    now[0] = 24.0
    slow = meter.finish(shards[2])
    assert (slow.seconds_per_clip, slow.eta_s) == (10.0, 20.0)
    now[0] = 44.0
    last = meter.finish(shards[3])
    assert (last.eta_s, last.shards_done, last.passes_done) == (0.0, 4, 2)


def test_kept_shards_count_as_done_and_not_for_the_pace() -> None:
    """A resumed run does not boast of what an earlier one did."""
    now = [0.0]
    shards = plan(_clips(4), 2, ["shared", "emotion"])
    meter = Meter(shards, (0, 1, 2), lambda: now[0])
    began = meter.enter("emotion")
    assert (began.shards_done, began.clips_done, began.n_clips, began.eta_s) == (3, 2, 4, None)
    now[0] = 8.0
    assert meter.finish(shards[3]).seconds_per_clip == 4.0
