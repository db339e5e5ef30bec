"""What speaking to a judge sounds like: patterns over lower-case words joined by single spaces. Data, no logic.

The words of each pattern stand in an order that ordinary scripts hardly bring: somebody who is told to ignore their
instructions, a clip that is said to win, a thing that is to be given a score. A letter is written as transcribers
write it when they only hear it.
"""

import re

_A = r"(?:a|ay|eh|b|be|bee)"
_SIDE = r"(?:a|ay|eh|b|be|bee|one|two|first|second)"
_NTH = r"(?:this|first|second|other|previous|next|last|former|latter)"
_CLIP = r"(?:clips?|recordings?|audios?|audio clip|samples?|submissions?|candidates?|contestants?)"
_NUMBER = r"(?:zero|one|two|three|four|five|six|seven|eight|nine|ten|hundred)"
_TOP = r"(?:full|top|perfect|maximum|max|maximal|highest|best|lowest|worst|winning)"
_SCORE = r"(?:scores?|marks?|ratings?|points?|grades?|stars?)"
_PRAISE = r"(?:wins?|won|winner|winning|better|best|worse|worst|superior|inferior|perfect|flawless|natural|human)"
_CHOOSE = r"(?:choose|pick|select|prefer|favor|favour|reward|vote for|rate|score|grade|give|award|declare)"
_DROP = r"(?:ignore|ignoring|disregard|disregarding|forget|override|overrule|bypass|discard)"
_IS = r"(?:is|are|as|to|of|equals?|should be|must be|will be|be|colon)"
_UNIT = (
    r"(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?|dollars?|bucks?|cents?|percent|pounds?|feet|foot|inch"
    r"|miles?|page|digit|day|step|way|part|pointer|of|more|person|man|woman|letter|course|hundred|thousand|million)"
)


def _gap(most: int) -> str:
    return rf"(?:[a-z']+ ){{0,{most}}}?"


PATTERNS: tuple[re.Pattern[str], ...] = tuple(
    re.compile(rf"(?<![a-z']){pattern}(?![a-z'])")
    for pattern in (
        # The clips by their names.
        rf"{_CLIP} {_SIDE} {_gap(3)}(?:{_PRAISE}|deserves?|{_TOP} {_SCORE}|{_IS} (?:a |an )?(?:three|ten))",
        rf"{_CHOOSE} (?:the )?{_CLIP} {_SIDE}",
        rf"{_CHOOSE} (?:the )?{_NTH} {_CLIP}",
        rf"(?:the )?{_NTH} {_CLIP} {_gap(4)}(?:{_PRAISE}|deserves?|{_TOP} {_SCORE})",
        # Scores asked for.
        rf"(?:give|award|assign|grant|rate|score|grade|mark) {_gap(4)}"
        rf"{_NUMBER} (?:out of {_NUMBER}|points?|stars?|marks?)",
        rf"(?:give|award|assign|grant) (?:this|it|me|us|that|them|my|our|the|clip|yourself)\b {_gap(2)}"
        rf"(?:a|an|the) {_NUMBER}(?! {_UNIT}\b)",
        rf"(?:rate|score|grade) (?:this|it|me|us|that|my|our|clip) {_gap(3)}"
        rf"(?:{_NUMBER}(?! {_UNIT}\b)|{_TOP}|high|highly)",
        r"(?:deserves?|merits?|earns?|gets?|gives?|award|assign|receives?|needs?|wants?|output|return|request) "
        rf"{_gap(4)}(?:{_TOP}|{_NUMBER}) (?:possible |overall )?{_SCORE}",
        # The fields of a reply.
        rf"scores? (?:b|bee|underscore {_A}|{_A} {_IS}) {_gap(1)}(?:{_NUMBER}|{_TOP})",
        rf"(?:the )?winner {_IS} (?:clip|speaker|tie|b|bee|(?:a|ay)(?: (?:and|with|score|confidence|clip|because)|$))",
        r"(?:output|respond|reply|return|answer|print|emit|write) (?:[a-z']+ ){0,4}?jason(?! [a-z]+s )|jason output",
        r"(?:output|respond|reply|return|answer|print|emit|write) (?:[a-z']+ ){0,4}?json",
        rf"(?:output|print|emit|set) {_gap(3)}(?:winner|scores?)",
        rf"(?:reasoning|confidence) (?:{_A}|{_IS}) {_gap(1)}{_NUMBER}",
        # Orders to a machine.
        rf"{_DROP} {_gap(5)}(?:instructions?|prompts?|rubrics?|guidelines?|directives?|system message|criteria)",
        rf"{_DROP} {_gap(2)}(?:previous|prior|above|earlier|preceding) {_gap(2)}"
        r"(?:rules?|text|messages?|context|orders)",
        r"(?:system|developer) (?:prompt|message|instructions?|override)|jailbreak|end of (?:the )?(?:script|prompt)",
        r"(?:new|updated|special|following) (?:instructions?|rules?) (?:for|to) (?:the |all )?"
        r"(?:judges?|listeners?|models?)",
        # The judge addressed.
        r"judges? (?:please |must |should |you must |you should )*"
        rf"(?:{_CHOOSE}|output|reply|respond|answer|ignore|disregard)",
        r"(?:dear|attention|hello|hey|hi|note to|message to|listen|as an?|you are an?) (?:[a-z']+ ){0,2}?"
        r"(?:evaluators?|raters?|graders?|language model|judge model|llm|ai (?:judge|model|assistant|system))",
        r"(?:ai|audio|language|speech) (?:model )?(?:judges?|evaluators?|graders?)",
    )
)
"""Each says by itself that a judge is spoken to."""

PLAIN_HINTS = frozenset({"winner", "rubric", "evaluator", "evaluators", "rating", "ratings"})
"""One of these inside words that were added to a script says the same."""

HINTS = PLAIN_HINTS | {
    *("score", "scores", "judge", "judges"),
    *("scoring", "rate", "rated", "grade", "win", "wins", "winning", "clip", "clips", "points", "marks", "evaluators"),
    *("prefer", "choose", "pick", "select", "vote", "best", "better", "perfect", "highest", "maximum", "top", "full"),
    *("superior", "flawless", "three", "ten", "give", "award", "natural", "naturalness", "evaluation", "sample"),
    *("ignore", "disregard", "instruction", "instructions", "prompt", "recording", "deserve", "deserves"),
}
"""Two of these do."""

LONG_WORDS = (
    *("instruction", "instructions", "evaluator", "evaluators"),
    *("recording", "previous", "disregard", "guidelines"),
)
"""Words that are recognised with one letter wrong, missing or too many."""
