"""From "we propose X" to "Li et al. [@id] propose X": sentences of authors told in the third person, with the citation."""

import re
from dataclasses import dataclass
from typing import Literal

from marwg.extractive.sentences import ADVERBS, SHOW, WORK
from marwg.extractive.shortening import shorten, without_asides
from marwg.extractive.tagging import tag, third_person
from marwg.extractive.text import capitalise, fix_articles, marker

Shape = Literal["author", "front", "name", "paper", "method", "end"]


@dataclass(frozen=True)
class Voice:
    """Who speaks: the authors as cited in text, whether they are several, their paper and the name of their system."""

    subject: str
    plural: bool
    paper_id: str
    name: str = ""

    @property
    def cited(self) -> str:
        """The subject with its marker."""
        return f"{self.subject} {marker(self.paper_id)}"

    @property
    def pronoun(self) -> str:
        """What a following sentence calls them."""
        return "they" if self.plural else "the author"


@dataclass(frozen=True)
class Conversion:
    """A sentence in the third person; `shape` says where its citation stands ("end": no subject was found)."""

    text: str
    shape: Shape


# ---------------------------------------------------------------- what is stripped first

_ANAPHOR = (
    r"\b(?:this|these|those|such(?! as)|that end|above|aforementioned|former|latter|it|its|they|their|them|both|so"
    r"|the (?:\w+ )?(?:limitations?|findings?|issues?|gaps?|problems?|challenges?|observations?|insights?|results?|two|three|four"
    r"|analysis|drawbacks?|shortcomings?|question)(?! of| that| in))\b"
)
_LEAD = re.compile(
    r"^(?:However|Moreover|Furthermore|In addition|Additionally|Specifically|In particular|More specifically|More precisely|Concretely"
    r"|Particularly|Then|Finally|Lastly|First|Firstly|Second|Secondly|Third|Next|Also|Thus|Therefore|Hence|Consequently|As a result"
    r"|As such|Accordingly|To this end|Here|Instead|Overall|In summary|Altogether|All in all|In conclusion|Taken together|In essence"
    r"|In this context|Nevertheless|Notably|Importantly|Interestingly|Surprisingly|Remarkably|Crucially|In contrast|On the other hand"
    r"|On the one hand|For this purpose|For this reason|In response|In light of this|With this in mind|In doing so|At last|Besides"
    r"|Meanwhile|Indeed|In fact|Further|Now|Yet|And|But|So|Conversely|Similarly|Likewise|Ultimately|Subsequently|Afterwards"
    r"|Building on this|Inspired by this|Motivated by this|For example|For instance"
    r"|In this (?:\w+ )?(?:paper|work|study|article|letter|report|survey|tutorial|thesis|research|contribution|note)"
    r"|In our (?:paper|work|study)|Through this work|In short|In general|Empirically|Theoretically|To our knowledge"
    r"|To the best of our knowledge|In this sense|In this setting|In this way|Along the way|Rather|Hereby|Therein|In (?:the |our )?experiments?(?: section)?|As a consequence|To do so),?\s+",
    re.IGNORECASE,
)
_FRONT = re.compile(rf"^([^,]{{3,140}}),\s+(?=(?:we|this (?:{WORK})|our)\b)")
_HYPE_PAIR = re.compile(
    r"\b(?:novel|superior(?! to\b)|innovative|pioneering|remarkable|new|simple|extensive|comprehensive)"
    r"(?: and| or| but| yet|, yet| yet a|,)+ (?=(?:more )?[a-z-]+\s)",
    re.IGNORECASE,
)
_HYPE = re.compile(
    r"\b(?:(?:very |highly )?novel|brand-new|simple(?:,| yet| but| and)+ (?:effective|efficient|powerful)"
    r"|(?:conceptually )?simple yet effective|extensive|comprehensive(?= (?:experiments|evaluations?|results))|groundbreaking"
    r"|innovative|cutting-edge|remarkable|superior(?! to\b)|pioneering|new and)\s+",
    re.IGNORECASE,
)
_HYPE_ADVERB = re.compile(r"\b(?:remarkably|impressively|surprisingly|dramatically|greatly)\s+(?=[a-z])")


def without_hype(text: str) -> str:
    """The text without praise, together with the coordination that praise stood in."""
    text = _HYPE_ADVERB.sub("", _HYPE.sub("", _HYPE_PAIR.sub("", text)))
    return fix_articles(re.sub(r"\s+", " ", text))


def without_lead(text: str) -> str:
    """The text without discourse words and without fronted clauses that hang on sentences before it."""
    for _ in range(4):
        shorter = _LEAD.sub("", text)
        front = _FRONT.match(shorter)
        if front and (
            re.search(_ANAPHOR, front[1], re.IGNORECASE)
            or re.search(rf"\b({WORK}|we|our)\b", front[1])
            or len(front[1].split()) > 16
        ):
            shorter = shorter[front.end() :]
        if shorter == text:
            break
        text = capitalise(shorter)
    return text


def has_anaphor(text: str) -> bool:
    """Whether a stretch of text points back to something said before."""
    return bool(re.search(_ANAPHOR, text, re.IGNORECASE))


# ---------------------------------------------------------------- rules, each for one shape

_VERB_PROPOSE = r"(?:propose|present|introduce|develop|design|describe|build|devise|release|offer|construct|create)s?"
_STARTS_PROPOSING = rf"^(?:We|(?:This|The) {WORK}) {ADVERBS}{_VERB_PROPOSE}"
_CALLED = r"(?:called|named|dubbed|termed|namely|coined|which we call|that we call|referred to as|known as)"
_TAIL_START = r"(?:that|which|to|for|by|with|using|based|where|consisting|designed|capable|in which|on)"
_SHOW_VERB = r"(?:show|demonstrate|indicate|reveal|suggest|confirm|find|prove|validate|report|conclude)"
_PAPER_VERB = (
    r"(?:propos|present|introduc|develop|design|describ|devis|formulat|build|provid|offer|contribut|establish|extend|adapt|stud"
    r"|investigat|explor|examin|analy|evaluat|consider|address|tackl|focus|revisit|review|survey|compar|conduct|character|measur"
    r"|quantif|benchmark|perform|reproduc|aim|seek|ask|identif|show|find|demonstrat|prov|observ|report|reveal|deriv|assess|deal"
    r"|is concerned|re-?evaluat|question|argu|highlight|summari|categor|outlin|discuss|give|concern|cover|uses|employ|leverag"
    r"|combin|improv|test|defin|treat|cast|train|learn|appl|replac|organi|unif|releas|collect|trac|look|turn|bring|mak|set|map"
    r"|suggest|adds|split|frames|views|models|generali)\w*"
)
_OWN_NOUN = (
    r"(?:methods?|approach(?:es)?|models?|frameworks?|algorithms?|systems?|architectures?|techniques?|schemes?|pipelines?|solutions?"
    r"|analysis|theory|benchmarks?|datasets?|design|accelerator|formulation|procedure|networks?)"
)


def _tighten(text: str) -> str:
    """No comma before a purpose that belongs to "NAME is a Y"."""
    return re.sub(r"^(\S+(?: \S+)? \[@[^\]]+\] is (?:a|an|the(?: first)?) [^,]{5,70}), (?=(?:to|for) )", r"\1 ", text)


def _by_name(text: str, voice: Voice) -> Conversion | None:
    """ "We propose NAME, a Y that Z" → "NAME [@id] is a Y that Z"."""
    if not voice.name:
        return None
    name, key = re.escape(voice.name), marker(voice.paper_id)
    match = re.match(
        rf"{_STARTS_PROPOSING} (?:the )?{name}(?: \([^()]*\))?(?:,|:| —| -| –)? (?:[A-Z][^,]{{2,90}}, )?(?:which is )?((?:a|an|the) .+)$",
        text,
    )
    if match and not re.match(r"(?:a|an|the) [^,]*, (?:and|which) (?:we|show)", match[1]):
        return Conversion(_tighten(f"{voice.name} {key} is {match[1]}"), "name")
    match = re.match(
        rf"{_STARTS_PROPOSING} ((?:a|an) [^,;]+?),? {_CALLED},? (?:the )?{name}(?: \([^()]*\))?(,? {_TAIL_START} .+|)$",
        text,
    )
    if match and len((match[1] + match[2]).split()) > 5:
        return Conversion(_tighten(f"{voice.name} {key} is {match[1]}{match[2]}"), "name")
    match = re.match(
        rf"^{name}(?: (?=(?:is|are|can|also|first|then|only|\w+s|\w+ly)\b)|(?=, (?:a|an|the|short for) ))", text
    )
    if match:
        rest = text[match.end() :]
        return Conversion(f"{voice.name} {key}{'' if rest.startswith(',') else ' '}{rest}", "name")
    return None


def _by_results(text: str, voice: Voice) -> Conversion | None:
    """ "Extensive experiments on Y show that Z" → "Li et al. [@id] report that Z"."""
    match = re.match(
        rf"^(?:Our|The|Their) (?:\w+ ){{0,3}}?(?:experiments?|experimental results|results|evaluations?|empirical results|findings|study"
        rf"|analysis|simulations?)\b.{{0,90}}?\b{_SHOW_VERB}(?:s|d|ed)? that (.+)$"
        rf"|^(?:Extensive |Comprehensive |Empirical |Numerical )?(?:[Ee]xperiments?|[Ee]xperimental results|[Rr]esults|[Ee]valuations?"
        rf"|[Ss]imulations?|[Ee]mpirical results)\b.{{0,90}}?\b{_SHOW_VERB}(?:s|d|ed)? that (.+)$",
        text,
    )
    if not match:
        return None
    return Conversion(f"{voice.cited} report{'' if voice.plural else 's'} that {match[1] or match[2]}", "author")


def _by_paper(text: str, voice: Voice) -> Conversion | None:
    """ "This paper studies X" → "The paper by Li et al. [@id] studies X"."""
    match = re.match(
        rf"^(?:Inspired by [^,]+, |Motivated by [^,]+, )?(?:[Tt]his|The|The present|The current|Our) (?:\w+ )?({WORK}) "
        rf"(?=(?:also |further |thus |then |\w+ly )?{_PAPER_VERB})",
        text,
    )
    if match:
        return Conversion(f"The {match[1]} by {voice.cited} {text[match.end() :]}", "paper")
    match = re.match(
        rf"^((?:For|In|To|With|On|As|Besides|Through|By|Under|From|Unlike|Instead of) [^,]{{3,60}}?),? (?:[Tt]his|the) ({WORK}) "
        rf"(?=(?:also |\w+ly )?{_PAPER_VERB})",
        text,
    )
    if match and not has_anaphor(match[1]):
        return Conversion(f"{match[1]}, the {match[2]} by {voice.cited} {text[match.end() :]}", "front")
    return None


_FRONT_START = re.compile(r"(?:By|With|Through|Using|Under|For|In|To|From|Via|On)\b")
_SUBORDINATOR = re.compile(r"\b(?:that|which|where|when|if|how|whether|as)\b")


def _by_authors(text: str, voice: Voice) -> Conversion | None:
    """ "We V" → "Li et al. [@id] V"."""
    match = re.search(r"\b[Ww]e\b", text)
    if not match:
        return None
    head, rest = text[: match.start()], text[match.end() :]
    fronted = head.rstrip().endswith(",") or (_FRONT_START.match(text) and not _SUBORDINATOR.search(head))
    if head and not fronted:
        return None
    rest = re.sub(
        r"^,? (?:also|first|then|further|finally|next|thus|therefore|additionally|here|formally|now|instead|subsequently) ",
        " ",
        rest,
    )
    if head and not head.rstrip().endswith(","):
        head = f"{head.rstrip()}, "
    if not voice.plural:
        rest = inflect(rest)
    return Conversion(f"{head}{voice.cited}{rest}", "front" if head else "author")


def _by_method(text: str, voice: Voice) -> Conversion | None:
    """ "Our method V-s" → "NAME [@id] V-s" or "The method of Li et al. [@id] V-s"."""
    match = re.match(rf"^(?:Our|The proposed) ((?:[\w-]+ ){{0,4}}?{_OWN_NOUN})\b", text)
    if not match:
        return None
    if voice.name and not match[1].endswith("s"):
        return Conversion(f"{voice.name} {marker(voice.paper_id)}{text[match.end() :]}", "name")
    return Conversion(f"The {match[1]} of {voice.cited}{text[match.end() :]}", "method")


_RULES = (_by_name, _by_results, _by_paper, _by_authors, _by_method)
_SOLVED = re.compile(
    r",? (?:to|in order to|for|thereby|thus) (?:overcom|address|tackl|solv|mitigat|alleviat|resolv|bridg|fill)(?:e|ing|s)? "
    r"(?:this|these|such|the) (?:\w+ )?(?:limitations?|issues?|gaps?|problems?|challenges?|drawbacks?|shortcomings?|needs?)(?=\s*$)"
)


def convert(text: str, voice: Voice, limit: int = 32) -> Conversion:
    """The sentence in the third person with its citation, without hype, asides and leftovers, at most `limit` words if possible."""
    text = capitalise(without_hype(without_lead(without_asides(text)).rstrip(" .")))
    text = re.sub(r"\b(is (?:a|an|the first) [^,]{5,70}), (?=(?:to|for) )", r"\1 ", text)
    found = next((found for rule in _RULES if (found := rule(text, voice))), None)
    told = _third_person_pronouns(found.text if found else text, voice)
    told = re.sub(rf"\b(?:[Ii]n|[Tt]hroughout) (?:(?:this|the present) {WORK}|the paper)\b,?\s*", "", told)
    told = re.sub(r",? instead(?=[,.]|$)", "", told)
    told = shorten(_SOLVED.sub("", told), limit)
    if not found:
        told = f"{told} {marker(voice.paper_id)}"
    told = _doubled_report(told)
    return Conversion(f"{capitalise(told.strip())}.", found.shape if found else "end")


def _doubled_report(text: str) -> str:
    return re.sub(
        r"\b(report)(s?) that (?:they|the author) (?:show|find|report|demonstrate)s? that\b", r"\1\2 that", text
    )


def _third_person_pronouns(text: str, voice: Voice) -> str:
    they = voice.pronoun
    if voice.plural:
        text = re.sub(r"\b[Ww]e\b", they, text)
    else:
        text = re.sub(r"\b[Ww]e\b( \w+)", lambda m: they + inflect(m[1]), text)
    text = re.sub(r"\b(?:our own|ours)\b", "theirs" if voice.plural else "the author's", text)
    text = re.sub(r"\b([Oo])ur\b", lambda m: ("T" if m[1] == "O" else "t") + ("heir" if voice.plural else "he"), text)
    text = re.sub(r"\bus\b", "them", text)
    return re.sub(r"\bourselves\b", "themselves", text)


def inflect(rest: str) -> str:
    """What follows "we", as it stands after one person: the first verb and verbs joined to it by "and" get their -s."""
    words = tag(f"we{rest}" if rest.startswith(" ") else f"we {rest}")[1:60]
    out, position, done, infinitive, previous = rest, 0, False, False, ""
    for word, _, kind in words:
        at = out.find(word, position)
        if at < 0:
            continue
        plain = kind in ("VVB", "VVI", "VHB", "VDB", "VBB")
        first = not done and (plain or word in ("are", "have", "do", "were"))
        # After "aim to rank and" a plain verb belongs to the infinitive; after "rank, and" to the subject.
        joined = done and previous in ("and", ",") and plain and not infinitive
        if first or joined:
            verb = third_person(word)
            out, position, done, infinitive = out[:at] + verb + out[at + len(word) :], at + len(verb), True, False
        else:
            done = done or kind in ("VM0", "VVD", "VVZ")
            infinitive = infinitive or word == "to" or kind == "VM0"
            position = at + len(word)
        previous = previous if re.search(r"ly$|^also$|^further$", word) else word
    return out


_REPORTING = re.compile(rf"\b{SHOW}\w*\b")


def reports_something(text: str) -> bool:
    """Whether a sentence tells a finding."""
    return bool(_REPORTING.search(text))
