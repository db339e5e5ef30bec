"""The anchor's clips, taken from its own published file, onto this machine for one run."""

from collections.abc import Callable
from pathlib import Path

from evaluation.codec import sha256_of
from evaluation.judge_stage import AnchorClips, AnchorMissing
from evaluation.pins import JudgeRecipe
from evaluation.protocol import Protocol
from evaluation.records import Clip, ItemId
from evaluation.run import ShardStore
from submissions import layout
from submissions.store.base import PublishedFiles


def anchor_clips(
    files: PublishedFiles, recipe: JudgeRecipe, folder: Path, open_store: Callable[[Protocol], ShardStore]
) -> AnchorClips:
    """Copy the clips that a recipe pins of its anchor into `folder`, and return them.

    Args:
        files: where the anchor is published.
        recipe: names the anchor and its clips.
        folder: an empty folder, made if need be.
        open_store: keeps the shards of their acoustic readings.

    Raises:
        AnchorMissing: if the anchor is not published here, or has other clips.
        SchemaError: if its file of clips is damaged.
    """
    anchor = recipe.anchor
    path = layout.clips_path(anchor.submission)
    try:
        data = files.read(path)
    except FileNotFoundError:
        raise AnchorMissing(
            f"the judge compares every clip with those of {anchor.name}, and {path} is not published here. Evaluate "
            f"or fetch the submission {anchor.submission} first; what waits goes on by itself."
        ) from None
    folder.mkdir(exist_ok=True)
    found = []
    for row in layout.clip_rows(data, path):
        pinned = anchor.clips.get(row["item_id"])
        if pinned is None:
            continue
        if sha256_of(row["flac"]) != pinned:
            raise AnchorMissing(f"{path} holds another clip of {row['item_id']} than the protocol pins, {pinned}")
        (folder / f"{row['item_id']}.flac").write_bytes(row["flac"])
        found.append(
            Clip(
                item_id=ItemId(row["item_id"]),
                sha256=pinned,
                duration_s=row["duration_s"],
                rate_hz=row["rate_hz"],
                bit_depth=row["bit_depth"],
                source_format="FLAC",
                source_channels=1,
            )
        )
    return AnchorClips(clips=tuple(found), clips_dir=folder, open_store=open_store)
