"""Questions to the claim ledger, and the wish to have a text checked, recognised by rules."""

import re

from marwg.extractive.mentions import number_of, papers_in
from marwg.tasks import LedgerQuestion, RouteTurn, TurnReply

_POLITE = r"(?:please|can you|could you|would you|will you|hi|hey|ok(?:ay)?|so|and|now|then|also|but)[\s,]+"
_CHECK = re.compile(
    rf"^(?:{_POLITE})*(?:i(?:'d| would) like (?:you )?to |i want (?:you )?to |let'?s |help me )?"
    r"(?:re-?)?(?:check|verify|fact-?check|proof-?read|audit)\s+(?:all\s+)?(?:again\s*$|(?:what|the (?:text|section|part|draft|chapter|citations?|references)(?: that)?) "
    r"i(?:'ve| have)? (?:wrote|written|sent|pasted|uploaded|cited)|(?:my|our) (?:own )?(?:text|section|related[- ]work|writing|draft|paragraphs?|citations?|references|chapter|paper|manuscript)"
    r"|(?:this|the|that)(?: (?:whole|entire|attached|uploaded|pasted|following))?(?: (?:text|section|related[- ]work(?: section)?|draft|paragraphs?|citations?|file|chapter))?(?: again)?(?: please)?\s*[.!?:]*\s*$"
    r"|(?:it|everything|all claims|all of it|the claims)(?: again)?\s*[.!?]*\s*$)",
    re.IGNORECASE,
)
_ASKS = re.compile(
    rf"^(?:{_POLITE})*(?:which|what|where|who|whose|how|is|are|was|were|do|does|did|has|have|had|can i|should i|could|any\b|anything|show|list|"
    r"tell|give|name|see|point|find|explain|why|on what|in which|of which|i want to (?:know|see)|let me see|let's see|summar)",
    re.IGNORECASE,
)
_CLAIMS = r"(?:claims?|sentences?|statements?|citations?|parts?|passages?|facts?|lines?)"
_TRUE = re.compile(
    rf"^(?:{_POLITE})*(?:(?:is|was) it (?:really |actually |still )?(?:true|correct|right|so|a fact|accurate|the case) (?:that |to say (?:that )?)"
    r"|(?:do|does|did) (?:the |this |that |their |his |her )?(?:paper|work|study|authors?|source|abstract|they|literature|article)s?(?: (?:by|of|on) (?P<by>.{2,60}?))?"
    r" (?:really |actually |ever |indeed )?(?:say|claim|show|state|report|find|mention|write|prove|argue|propose|use|evaluate|support|demonstrate|conclude)s?(?: that)? "
    r"|(?:do|does|did) (?P<who>[A-ZÀ-Þ][\w'’-]+(?: et al\.?| (?:and|&) [A-ZÀ-Þ][\w'’-]+)?(?: \(?\d{4}\)?)?) (?:really |actually |ever |indeed )?"
    r"(?:say|claim|show|state|report|find|mention|write|prove|argue|propose|use|evaluate|support|demonstrate|conclude)s?(?: that)? "
    r"|where (?:is it (?:said|written|stated|shown)|does it say|do they say|do (?:we|you) take (?:it )?from)(?: that)? "
    r"|is there (?:any )?(?:evidence|support|proof|a source) (?:for (?:saying |the claim |the statement )?(?:that )?|that )"
    r"|what (?:is|'s) the (?:evidence|source|support|proof) (?:for (?:saying |the claim |the statement )?(?:that )?|that ))"
    r"(?P<what>.{6,}?)\s*[?.!]*$",
    re.IGNORECASE | re.DOTALL,
)
_IN_PAPER = re.compile(
    r"^(?:is|are|does)\s+[\"“']?(?P<what>.{6,300}?)[\"”']?\s+(?:really |actually |stand |stands |appear )?(?:in|supported by|backed by|from)\s+"
    r"(?:the |that |this )?(?:paper|source|abstract|article|literature|library)s?\b.{0,60}$",
    re.IGNORECASE | re.DOTALL,
)

_RULES: tuple[tuple[LedgerQuestion, str], ...] = (
    ("abstract_only", r"\babstracts? (?:only|alone)\b|\b(?:only|just|nothing but|merely|solely)\b.{0,25}\babstracts?\b|\b(?:without|no|lack\w*|missing)\b.{0,12}\bfull[- ]?texts?\b|\brest(?:s|ing)? on (?:an? |the )?abstract"
                      r"|\bbased on (?:an? |the )?abstract|\bfull[- ]?texts?\b.{0,12}\b(?:missing|not)\b"),
    ("unknown", r"\b(?:unknown|unresolved|missing|undefined|invented|made[- ]up|non-?existent)\b.{0,30}\b(?:keys?|citations?|references?|bib)|\bkeys?\b.{0,40}\b(?:unknown|missing|not in)"
                r"|\b(?:citations?|references?|keys?)\b.{0,40}\b(?:do(?:es)? ?n[o']t exist|are not in|is not in|aren't in|have no (?:entry|reference))"),
    ("unused", r"\b(?:references?|entries|papers?|sources?|bib\w*)\b.{0,40}\b(?:nothing cites|no(?:body|t ever|where)? cite[sd]?|never cited|not cited|unused|uncited|not used|aren't cited|isn't cited)"
               r"|\bunused (?:references?|entries|bib\w*)|\bdo i not cite\b|\bdon't i cite\b"),
    ("missed", r"\b(?:miss(?:ed|ing)?|forg(?:e|o)t(?:ten)?|overlook(?:ed)?|should i (?:also |still )?(?:cite|mention|add)|could i (?:also )?cite|else should (?:i|be))\b.{0,60}(?:papers?|works?|cite|cited|references?|literature)?"
               r"|\b(?:papers?|works?|literature)\b.{0,40}\b(?:miss(?:ed|ing)?|forgot(?:ten)?|overlooked)\b|\bclosest papers?\b"),
    ("better", r"\bbetter (?:source|paper|reference|citation)s?\b|\bmis-?attribut\w*|\bwrong(?:ly)? (?:paper|source|citation|cited|attributed|reference)s?\b|\bcite[sd]? the wrong\b"),
    ("judges", r"\b(?:who|which models?|what models?)\b.{0,30}\b(?:check|judg|verif)\w*|\bjudges?\b.{0,30}\b(?:independent|same|different)|\bwho (?:are|were|is) the judges?\b|\bindependent\b.{0,20}\b(?:judges?|models?|verdicts?)"),
    ("reattributed", r"\bre-?attribut\w*|\b(?:mov|swap|switch|replac|exchang|reassign)\w*\b.{0,40}\b(?:citations?|sources?|references?|papers?)|\b(?:citations?|sources?|references?)\b.{0,40}\b(?:moved?|swap(?:ped)?|switched|replaced|exchanged|reassigned|changed)\b|\banother source\b"),
    ("dropped", r"\b(?:dropped|deleted|taken out|thrown out|left out|cut out|removed)\b|\bdid you (?:remove|drop|delete|take out|cut|throw out)\b"),
    ("changed", r"\b(?:did you|have you|you(?:'ve| have)?|was|were|been|got)\b.{0,40}\b(?:chang|correct|fix|mend|rewr|rewor|rephras|edit|modif|weaken|alter|amend)\w*"
                rf"|\b{_CLAIMS}\b.{{0,30}}\b(?:changed|corrected|fixed|mended|rewritten|reworded|modified|weakened|altered)|\b(?:the|all|your) (?:corrections?|changes|edits|modifications)\b|\bwhat changed\b"),
    ("uncited", r"\b(?:without (?:an? |any )?(?:citations?|references?|sources?)|cite[sd]? nothing|uncited|un-?referenced|(?:lack|need|miss|require)\w*\b.{0,12}\b(?:citations?|references?|sources?)|no (?:citations?|references?|source))\b"),
    ("disputed", r"\bdisputed?\b|\bdisagree\w*|\bcontested\b|\bcontroversial\b|\bdiffer(?:ent)? (?:verdicts?|opinions?)|\b(?:judges?|models?)\b.{0,20}\bdiffer\b"),
    ("not_checked", r"\b(?:not|un|never|could ?n[o']t be|couldn't be|wasn't|weren't|haven't been|not been)[\s-]?(?:yet )?(?:checked|verified|judged|confirmed)\b|\bunverified\b|\bunchecked\b"),
    ("unsupported", r"\b(?:un-?supported|not (?:really )?supported|unsubstantiated|unfounded|erroneous|false|untrue|incorrect|inaccurate|hallucinat\w*|made[- ]up|wrong|no support|aren't supported|isn't supported)\b"),
    ("flagged", r"\b(?:flagged|problem(?:s|atic)?|risk(?:y|iest|s)?|doubtful|questionable|weak(?:est)?|suspicious|shaky|need(?:s)? (?:my |a |more )?(?:attention|look|work|review|care)|look at first|should i (?:look|check|worry|fix)|i should (?:look|check|worry|fix)|to worry about|attention|issues?|unsure|uncertain)\b"),
    ("summary", r"\bhow (?:many|well|good|reliable|accurate|sure|faithful|trustworthy)\b|\bcan i trust\b|\b(?:summar\w+|overview|results?|state|status|outcome)\b.{0,30}\b(?:verif\w+|ledger|check(?:s|ing)?|claims?|verdicts?|facts?)\b|\bshow (?:me )?(?:the )?(?:claim )?ledger\b|\bhow did (?:it|the (?:check|verification)) go\b"),
    ("supported", rf"\b(?:fully |well |actually )?(?:supported|confirmed|verified|backed|correct|true|certain|safe)\b.{{0,30}}\b{_CLAIMS}|\b{_CLAIMS}\b.{{0,30}}\b(?:supported|confirmed|verified|backed|safe|certain)\b"),
)  # fmt: skip
_COMPILED = tuple((about, re.compile(rule, re.IGNORECASE)) for about, rule in _RULES)
_OF_PAPER = re.compile(
    rf"\b(?:{_CLAIMS}|what|where)\b.{{0,40}}\b(?:cite|cites|citing|rest|rests|about|from|use|uses|say|said|of|by|on|mention|mentions)\b",
    re.IGNORECASE,
)
_NUMBERED = re.compile(
    r"\b(?:claim|sentence|statement|number|no\.|verdict)\s*#?\s*(\d+|one|two|three|four|five|six|seven|eight|nine|ten)\b|#\s?(\d+)"
    r"|\b(first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth)\s+(?:claim|sentence|statement)\b",
    re.IGNORECASE,
)
_OUTLINE = re.compile(r"\b(?:outline|topics?|taxonomy|subtopics?|shortlist|candidates?)\b", re.IGNORECASE)
_ABOUT_CLAIMS = re.compile(
    rf"\b{_CLAIMS}\b|\b(?:ledger|verdicts?|verif\w+|judges?|draft|text|section|references?|sources?|abstracts?|full[- ]?texts?|keys?|papers?|you|wrong|false|true|trust|here|it|that|this|there|attention|first|flagged|chang\w+|correct\w+|problems?|check\w*|supported|anything)\b",
    re.IGNORECASE,
)


def asked(message: str, task: RouteTurn) -> TurnReply | None:
    """The question to the ledger that a message asks, or its wish for a check; nothing where it is neither."""
    if _CHECK.match(message):
        return TurnReply(kind="check")
    if task.stage != "drafted" or len(message) > 600:
        return None
    if numbered := _NUMBERED.search(message):
        about_it = _ASKS.match(message) and any(rule.search(message) for _, rule in _COMPILED)
        return TurnReply(kind="why", claim=number_of(next(g for g in numbered.groups() if g))) if about_it else None
    if true := _TRUE.match(message) or _IN_PAPER.match(message):
        named = papers_in(message, task.papers)
        return TurnReply(kind="ask_ledger", about="true", statement=true["what"].strip(), papers=tuple(named))
    if not (_ASKS.match(message) or message.rstrip().endswith("?")) or _OUTLINE.search(message):
        return None
    for about, rule in _COMPILED:
        if rule.search(message) and _ABOUT_CLAIMS.search(message):
            return TurnReply(kind="ask_ledger", about=about)
    if _OF_PAPER.search(message) and (named := papers_in(message, task.papers)):
        return TurnReply(kind="ask_ledger", about="paper", papers=tuple(named))
    return None
