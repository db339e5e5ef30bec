"""British and American spelling: every word as an American writes it, for comparison only. Pure.

Families of words are named by their stems, so that no rule can touch a word that merely ends alike
("four", "hour", "wise", "fire").
"""

from functools import lru_cache

from evaluation.gate.forms.form import word_set

_OUR = word_set(
    "ard arb behavi col clam cand dem endeav enam fav ferv flav glam harb hon hum lab neighb od parl ranc rig rum"
    " sav sav splend succ tum val vap vig arm misbehavi disfav dishon discol multicol belab watercol unfav hon"
)
_OUR_TAILS = ("", "s", "ed", "ing", "able", "ably", "ite", "ites", "er", "ers", "ful", "less", "y", "hood", "hoods")
_RE = word_set(
    "theat cent lit met fib calib lust somb spect sab meag scept mit sepulch amphitheat epicent kilomet centimet"
    " millimet millilit centilit nanomet micromet kilolit reconnoit lou "
)
_IS_STEMS = word_set(
    "agon antagon apolog author baptis bapt brutal capital categor central character civil climat colon commercial"
    " computer critic crystall custom decentral dehuman demon demoral deputi digit dramat econom emphas energ equal"
    " euthan familiar fertil final formal fraternal galvan general global harmon hospital human hypnot hypothes ideal"
    " immobil immun individual industrial initial institutional internal ion item jeopard legal legitim liberal local"
    " magnet marginal material maxim mechan memor mesmer minim mobil modern monopol moral national natural neutral"
    " normal optim organ ostrac patron penal personal plagiar polar popular priorit privat psycholog public radical"
    " rational real recogn reorgan romant sanit scandal scrutin sensational sensit serial social special stabil"
    " standard steril stigmat subsid summar symbol sympath synchron synthes system tantal temper terror theor tranquil"
    " trivial unional urban util vandal vapor verbal victim visual vital vocal vulgar weapon western apologet"
    " unrecogn disorgan unauthor bastard hybrid ritual random token anonym"
)
_IS_TAILS = {
    "ise": "ize", "ises": "izes", "ised": "ized", "ising": "izing", "iser": "izer", "isers": "izers",
    "isation": "ization", "isations": "izations", "isational": "izational", "isable": "izable",
}  # fmt: skip
_DOUBLED = word_set(
    "cancel travel model label level fuel signal total counsel marvel quarrel equal channel dial jewel panel pedal"
    " shovel spiral tunnel duel funnel rival libel initial unravel snorkel swivel towel trowel bejewel carol drivel"
    " enamel grovel gravel hovel marshal pummel ravel revel shrivel tinsel yodel apparel barrel bevel chisel dishevel"
    " refuel stencil pencil medal metal crystal"
)
_DOUBLED_TAILS = (
    "ed",
    "ing",
    "er",
    "ers",
    "ation",
    "ations",
    "ous",
    "ously",
    "or",
    "ors",
    "ist",
    "ists",
    "ings",
    "ery",
    "y",
)
_PLAIN = {
    "grey": "gray", "greys": "grays", "greyer": "grayer", "greying": "graying", "greyish": "grayish",
    "aluminium": "aluminum", "cheque": "check", "cheques": "checks", "chequebook": "checkbook", "tyre": "tire",
    "tyres": "tires", "kerb": "curb", "kerbs": "curbs", "plough": "plow", "ploughs": "plows", "ploughed": "plowed",
    "ploughing": "plowing", "draught": "draft", "draughts": "drafts", "draughty": "drafty", "programme": "program",
    "programmes": "programs", "licence": "license", "licences": "licenses", "practise": "practice",
    "practised": "practiced", "practises": "practices", "practising": "practicing", "defence": "defense",
    "defences": "defenses", "offence": "offense", "offences": "offenses", "pretence": "pretense", "storey": "story",
    "storeys": "stories", "pyjamas": "pajamas", "pyjama": "pajama", "jewellery": "jewelry", "mould": "mold",
    "moulds": "molds", "mouldy": "moldy", "moulded": "molded", "moult": "molt", "smoulder": "smolder",
    "smouldering": "smoldering", "sulphur": "sulfur", "moustache": "mustache", "moustaches": "mustaches",
    "sceptical": "skeptical", "sceptic": "skeptic", "sceptics": "skeptics", "scepticism": "skepticism",
    "manoeuvre": "maneuver", "manoeuvres": "maneuvers", "manoeuvred": "maneuvered", "manoeuvring": "maneuvering",
    "gaol": "jail", "cosy": "cozy", "cosier": "cozier", "axe": "ax", "adviser": "advisor", "advisers": "advisors",
    "catalogue": "catalog", "catalogues": "catalogs", "catalogued": "cataloged", "dialogue": "dialog",
    "dialogues": "dialogs", "analogue": "analog", "analogues": "analogs", "monologue": "monolog", "prologue": "prolog",
    "epilogue": "epilog", "analyse": "analyze", "analysed": "analyzed", "analyses": "analyzes",
    "analysing": "analyzing",
    "analyser": "analyzer", "paralyse": "paralyze", "paralysed": "paralyzed", "paralysing": "paralyzing",
    "catalyse": "catalyze", "breathalyse": "breathalyze", "fulfil": "fulfill", "fulfils": "fulfills",
    "fulfilment": "fulfillment", "enrol": "enroll", "enrols": "enrolls", "enrolment": "enrollment",
    "enrolments": "enrollments", "instalment": "installment", "instalments": "installments", "instil": "instill",
    "skilful": "skillful", "skilfully": "skillfully", "wilful": "willful", "wilfully": "willfully",
    "woollen": "woolen", "woolly": "wooly", "distil": "distill", "appal": "appall", "judgement": "judgment",
    "judgements": "judgments", "acknowledgement": "acknowledgment", "acknowledgements": "acknowledgments",
    "ageing": "aging", "likeable": "likable", "sizeable": "sizable", "anaemia": "anemia", "anaemic": "anemic",
    "anaesthesia": "anesthesia", "anaesthetic": "anesthetic", "anaesthetist": "anesthetist",
    "archaeology": "archeology", "archaeologist": "archeologist", "archaeologists": "archeologists",
    "archaeological": "archeological", "encyclopaedia": "encyclopedia", "paediatric": "pediatric",
    "paediatrician": "pediatrician", "orthopaedic": "orthopedic", "leukaemia": "leukemia", "diarrhoea": "diarrhea",
    "oesophagus": "esophagus", "oestrogen": "estrogen", "foetus": "fetus", "foetal": "fetal", "mediaeval": "medieval",
    "haemoglobin": "hemoglobin", "haemorrhage": "hemorrhage", "caesarean": "cesarean", "aesthetic": "esthetic",
    "aesthetics": "esthetics", "aeroplane": "airplane", "aeroplanes": "airplanes", "mum": "mom", "mums": "moms",
    "mummy": "mommy",


    "yoghurt": "yogurt",
    "doughnut": "donut", "doughnuts": "donuts", "whisky": "whiskey", "omelette": "omelet", "artefact": "artifact",
    "artefacts": "artifacts", "tonne": "ton", "tonnes": "tons", "gramme": "gram", "grammes": "grams",
    "kilogramme": "kilogram", "kilogrammes": "kilograms", "disc": "disk", "discs": "disks",
    "speciality": "specialty", "specialities": "specialties", "marvellous": "marvelous", "travelogue": "travelog",
    "sombre": "somber", "lacklustre": "lackluster", "furore": "furor", "nought": "naught",
    "pedlar": "peddler", "sabre": "saber", "ochre": "ocher",
    "tranquillity": "tranquility", "tranquilliser": "tranquilizer",

    "centred": "centered", "centring": "centering", "tumour": "tumor", "tumours": "tumors",
}  # fmt: skip


@lru_cache(maxsize=16384)
def american(word: str) -> str:
    """Return the American spelling of a word in lower case; the word itself if it has but one."""
    return _PLAIN.get(word) or _color(word) or _center(word) or _realize(word) or _traveled(word) or word


def _color(word: str) -> str | None:
    head, found, tail = word.partition("our")
    is_color = found and head in _OUR and tail in _OUR_TAILS
    return f"{head}or{tail}" if is_color and word not in ("savoury",) else "savory" if word == "savoury" else None


def _center(word: str) -> str | None:
    for end in ("re", "res"):
        if word.endswith(end) and word[: -len(end)] in _RE:
            return word[: -len(end)] + "er" + end[2:]
    return None


def _realize(word: str) -> str | None:
    for british, ours in _IS_TAILS.items():
        if word.endswith(british) and word[: -len(british)] in _IS_STEMS:
            return word[: -len(british)] + ours
    return None


def _traveled(word: str) -> str | None:
    head, found, tail = word.rpartition("ll")
    return f"{head}l{tail}" if found and f"{head}l" in _DOUBLED and tail in _DOUBLED_TAILS else None
