"""Words that mean the same, or the opposite, and other names of the same thing: general English, no domain."""

from __future__ import annotations

from functools import lru_cache

from assay.text.english import STOP, stem

IRREGULAR = """
arise arose arisen|beat beaten|become became|begin began begun|bend bent|bite bit bitten|blow blew blown|
break broke broken|breed bred|bring brought|build built|burn burnt|buy bought|catch caught|choose chose chosen|
come came|deal dealt|dig dug|draw drew drawn|drink drank drunk|drive drove driven|eat ate eaten|fall fell fallen|
feed fed|feel felt|fight fought|find found|flee fled|fly flew flown|forbid forbade forbidden|forget forgot forgotten|
forgive forgave forgiven|freeze froze frozen|get got gotten|give gave given|go went gone|grow grew grown|hang hung|
hear heard|hide hid hidden|hold held|keep kept|know knew known|lay laid|lead led|learn learnt|leave left|lend lent|
lose lost|make made|mean meant|meet met|mistake mistook mistaken|overcome overcame|pay paid|prove proven|
ride rode ridden|ring rang rung|rise rose risen|run ran|say said|see saw seen|seek sought|sell sold|send sent|
shake shook shaken|shoot shot|show shown|shrink shrank shrunk|sing sang sung|sink sank sunk|sit sat|sleep slept|
speak spoke spoken|spend spent|spin spun|stand stood|steal stole stolen|stick stuck|strike struck|swear swore sworn|
swim swam swum|take took taken|teach taught|tear tore torn|tell told|think thought|throw threw thrown|
understand understood|undertake undertook undertaken|uphold upheld|wake woke woken|wear wore worn|win won|
withdraw withdrew withdrawn|write wrote written|child children|man men|woman women|person people|foot feet|
tooth teeth|life lives|wife wives|half halves|shelf shelves|leaf leaves|thief thieves|crisis crises|analysis analyses|
hypothesis hypotheses
"""
"""Forms of a word that no stem connects, by the first of them."""
SAME = """
begin start commence launch|end finish conclude terminate|purchase buy acquire obtain|sell vend|
big large huge enormous massive vast|small little tiny minor|quick fast rapid swift speedy|slow gradual|
rise increase grow climb soar surge gain|fall decrease decline drop reduce shrink diminish lower cut|
say state tell declare announce report mention note remark|ask request enquire inquire|answer reply respond response|
need require must|want wish desire|help assist aid support|show demonstrate reveal indicate illustrate|
use utilise utilize employ|make create produce build construct|get receive obtain|give provide supply offer deliver|
keep retain maintain preserve|stop halt cease|allow permit enable let|ban forbid prohibit bar|choose select pick opt|
important significant crucial key essential vital major|hard difficult challenging tough|easy simple straightforward|
right correct accurate|wrong incorrect false mistaken error|car vehicle automobile|house home|
job work employment labour labor|company firm business corporation enterprise|worker employee staff|
boss chief head leader|chief main primary principal|buy order|child kid|person people individual human|man male|
woman female|doctor physician|ill sick unwell|illness disease sickness|die death dead|kill murder slay|
hurt injure wound injury|police officer|prison jail|fight battle|war conflict|attack assault strike|
accident crash collision|fire blaze|storm hurricane|rain rainfall|money cash fund|price cost|pay payment|
salary wage pay|rich wealthy|poor needy|think believe consider|know aware|understand comprehend|learn study|
teach instruct educate|student pupil|school academy|city town|country nation state|area region zone|
place location site|world global worldwide international|meeting conference session|talk speak discuss conversation|
plan scheme proposal intend|propose suggest recommend|idea concept notion|goal aim objective target|
method approach technique procedure|result outcome finding|problem issue difficulty|change alter modify amend|
improve enhance better|worsen deteriorate|repair fix mend|break damage|destroy ruin demolish|
find discover detect identify|look search seek|watch view observe see|see notice|win victory triumph|lose defeat|
beat defeat|game match|player athlete|score goal point|team side squad|fan supporter|film movie|
picture image photo photograph|book novel|author writer|song track|letter message|call phone telephone ring|
send ship dispatch|delay postpone late|cancel scrap drop|choose elect|vote ballot|law legislation act|rule regulation|
judge court judgment judgement|trial study experiment test|test check examine verify|lawyer attorney|guilty convicted|
sentence jail|parliament legislature|minister secretary|government administration|president leader|party group|
group team band|join enter|leave depart exit quit|arrive reach come|return back|stay remain|move shift|grow expand|
spread extend|happen occur take|cause trigger provoke|avoid prevent|protect guard defend|risk danger threat|
safe secure|dangerous hazardous risky|fear worry concern afraid|hope wish|happy glad pleased delighted|
sad unhappy upset|angry furious|praise laud hail commend welcome|criticise criticize condemn slam blame|accuse allege|
deny reject refuse|reject refuse decline|accept agree approve back|oppose against|admit confess acknowledge|
claim argue assert maintain contend|expect anticipate forecast predict|estimate approximate|
about around approximately roughly nearly almost|more additional extra further|many numerous several|most majority|
some certain few|whole entire full complete|part portion share section|first initial|last final|
next following subsequent|previous former earlier prior predecessor past|current present today|
new recent latest novel|old former aged elderly|young youth|early soon|often frequently regularly|
sometimes occasionally|usually typically generally normally|always constantly|quickly rapidly fast swiftly|
because since due|however nevertheless nonetheless although|also additionally too moreover furthermore|near close|
street road|door gate entrance|room chamber|water liquid|food meal|drug medicine medication pharmaceutical|
treat treatment therapy|adverse side|effect impact influence|include contain comprise|consist comprise|exclude omit|
own possess have|hire recruit employ appoint|fire dismiss sack|replace substitute succeed|share divide split|
connect link join|separate divide|open unlock|close shut|common frequent widespread|rare uncommon scarce|
special particular specific|similar alike comparable same|different distinct various|strong powerful robust|
weak feeble|hot warm|cold cool chilly|high tall|deep profound|wide broad|heavy weight weigh|light bright|long lengthy|
short brief|good great excellent fine|bad poor terrible awful|beautiful pretty attractive|clean tidy|dirty filthy|
quiet calm silent|loud noisy|famous renowned celebrated well-known|popular favourite favorite|strange odd unusual|
clear obvious evident apparent|possible potential feasible|able capable|ready prepared|busy occupied|
free gratis complimentary|cheap inexpensive affordable|expensive costly pricey|customer client buyer consumer|
product item goods|shop store|order request|bill invoice|discount reduction rebate|contract agreement deal|date day|
year annual yearly|daily day|weekly week|monthly month|evening tonight|holiday vacation|trip journey travel tour|
train rail railway|plane aircraft airplane jet|ship boat vessel|bicycle bike|computer machine|
software program application app|data information|internet web online|email mail e-mail|phone mobile|model system|
train teach|language tongue|word term|translate translation|sentence phrase|paper article study work|
researcher scientist author|experiment evaluation|performance accuracy|outperform surpass exceed beat|
propose introduce present|show find|dataset corpus|improve boost raise|approach framework|support back endorse|
fund finance|invest investment|profit gain earnings|loss deficit|revenue income turnover|tax levy|debt loan|
bank lender|store keep|hotel inn|restaurant cafe|guest visitor|audience spectator viewer|concert show gig|
king monarch|soldier troop|army military|weapon arm|bomb explosive|explode blast explosion|rescue save|
victim casualty|arrest detain|release free|escape flee|hide conceal|steal rob theft|truth fact|secret confidential|
expert specialist|chair lead head|found establish set|close end|merge combine unite|sum total amount|
number count figure|level degree|rate speed|limit restrict cap|minimum least|maximum most|average mean|measure gauge|
compare comparison|review assess evaluate|judge assess|ensure guarantee|confirm verify uphold|
ignore disregard neglect|warn caution alert warning|remember recall|try attempt effort|manage succeed|
succeed achieve accomplish reach|gather collect|carry transport|hold contain|put place|eat consume|live reside dwell|
meet encounter|marry wed|born birth|mother mum mom|father dad|friend pal mate|enemy foe|neighbour neighbor|
nearly almost|skill ability|knowledge expertise|advice guidance tip|task job|step stage phase|reason cause|
purpose aim|chance opportunity|benefit advantage|drawback disadvantage|solution answer|question query|
example instance|topic subject theme|summary overview|story tale|history past|tradition custom|religion faith|
nature environment|animal creature|forest wood|river stream|mountain hill|sea ocean|beach coast shore|earth planet|
sun solar|energy power|stone rock|cloth clothes clothing garment|box package parcel|table desk|chair seat
"""
"""Words that may stand for each other; a word may be in several groups, and no group is joined to another."""
OPPOSITE = """
increase decrease|rise fall|rise drop|rise decline|increase drop|increase reduce|grow shrink|expand contract|up down|
high low|higher lower|highest lowest|more less|more fewer|most least|most fewest|before after|win lose|buy sell|
accept reject|accept refuse|accept decline|open close|early late|earlier later|first last|always never|all none|
allow ban|allow prohibit|allow forbid|permit prohibit|permit forbid|support oppose|success failure|succeed fail|
gain loss|gain lose|profit loss|strong weak|hot cold|warm cool|large small|big small|big little|good bad|better worse|
best worst|positive negative|young old|easy difficult|easy hard|simple difficult|fast slow|quick slow|rapid slow|
quickly slowly|rapidly slowly|rapid gradual|rapidly gradually|suddenly gradually|long short|north south|east west|
northern southern|eastern western|left right|include exclude|agree disagree|like dislike|love hate|start end|begin end|
start finish|arrive leave|public private|male female|man woman|boy girl|husband wife|father mother|son daughter|
brother sister|guilty innocent|legal illegal|safe dangerous|rich poor|full empty|new old|modern ancient|true false|
possible impossible|likely unlikely|many few|above below|inside outside|internal external|indoor outdoor|improve worsen|
improve deteriorate|strengthen weaken|encourage discourage|approve disapprove|approve reject|praise criticise|
praise criticize|praise condemn|welcome criticise|welcome criticize|cheap expensive|common rare|frequent rare|
frequently rarely|often rarely|often seldom|usually rarely|simple complex|simple complicated|minimum maximum|
minimise maximise|minimize maximize|inferior superior|lead follow|entire partial|fully partially|completely partially|
every no|add remove|raise cut|raise lower|lift impose|hire fire|hire dismiss|outperform underperform|
complete incomplete|effective ineffective|satisfied dissatisfied|happy sad|active passive|adult child|parent child|
teacher student|employer employee|doctor patient|buyer seller|customer supplier|uphold overturn|confirm deny|admit deny|
acquit convict|attack defend|victory defeat|ally enemy|friend enemy|join leave|enter leave|enter exit|import export|
borrow lend|teach learn|give receive|send receive|push pull|save waste|save spend|create destroy|build demolish|
appear disappear|advance retreat|accelerate slow|heat cool|melt freeze|fill empty|connect disconnect|attach detach|
load unload|lock unlock|wide narrow|thick thin|deep shallow|heavy light|bright dark|day night|morning evening|
morning afternoon|today tomorrow|yesterday tomorrow|summer winter|spring autumn|past future|major minor|mild severe|
slight severe|moderate extreme|moderate severe|careful careless|optimistic pessimistic|confident doubtful|
confident uncertain|certain uncertain|clear unclear|formal informal|urban rural|domestic foreign|local national|
local global|national international|temporary permanent|voluntary mandatory|voluntary compulsory|optional mandatory|
optional required|optional compulsory|manual automatic|manually automatically|real fake|genuine fake|original copy|
natural artificial|supervised unsupervised|discrete continuous|sparse dense|linear nonlinear|online offline|
static dynamic|upper lower|front back|top bottom|vertical horizontal|majority minority|presence absence|present absent|
supply demand|input output|question answer|cause prevent|help hinder|help harm|benefit harm|beneficial harmful|
useful useless|hopeful hopeless|advantage disadvantage|strength weakness|opportunity threat|ready unprepared|
postpone advance|delay hasten|forward back|forwards backwards|attract repel|remember forget|ignore notice|ignore heed|
peace war|calm anxious|relaxed stressed|calm rough|quiet loud|quiet noisy|silent noisy|clean dirty|wet dry|sick healthy|
ill healthy|alive dead|survive die|birth death|wake sleep|sit stand|expensive affordable|exceed miss|surpass trail|
double halve|doubled halved|maximal minimal|enough insufficient|sufficient insufficient|significant insignificant|
significant negligible|substantial negligible|substantial minimal|considerable slight|significantly slightly|
greatly slightly|sharply slightly|similar different|same different|equal unequal|together separately|jointly separately|
alone together|individual collective|individually collectively|single multiple|one-time recurring|specific general|
specifically generally|concrete abstract|exact approximate|exactly approximately|direct indirect|directly indirectly|
explicit implicit|explicitly implicitly|partial complete|objective subjective|conservative liberal|
conservative progressive|democrat republican|win defeat|cheer boo|enthusiastic reluctant|willing reluctant|
eager reluctant|friendly hostile|polite rude|kind cruel|generous greedy|honest dishonest|brave cowardly|proud ashamed|
wise foolish|patient impatient|exciting boring|interesting boring|beautiful ugly|famous unknown|visible invisible|
accurate inaccurate|correct incorrect|adequate inadequate|appropriate inappropriate|consistent inconsistent|
dependent independent|efficient inefficient|secure insecure|valid invalid|capable incapable|compatible incompatible|
mature immature|moral immoral|perfect imperfect|practical impractical|precise imprecise|proper improper|
regular irregular|relevant irrelevant|responsible irresponsible|reversible irreversible|literate illiterate|
logical illogical|continue discontinue|organised disorganised|organized disorganized|prove disprove|qualify disqualify|
trust distrust|trust mistrust|understand misunderstand|comfort discomfort|courage discourage|respect disrespect|
start stop|begin stop|find lose|right wrong|able unable|ability inability|hard soft|near far|near distant|close distant|
stay leave|stay change|pass fail|winner loser|senior junior|friend foe|wealth poverty|wealthy poor|black white|
light dark|agreement disagreement|normal abnormal|publicly privately|leader follower|former latter|well badly|
well poorly|keep lose|whole half|whole partial|action inaction|hope despair|heavily lightly|payment nonpayment|
member nonmember|attention inattention|experience inexperience|decision indecision|order disorder|similar dissimilar|
personal impersonal|progress regress|military civilian|religious secular|loud silent|hardware software|
tolerance intolerance|attend miss|hit miss|greater lesser|longer shorter|bigger smaller|larger smaller|older younger|
stronger weaker|faster slower|cheaper costlier|easier harder|closer further|closer farther|earliest latest|
oldest youngest|largest smallest|biggest smallest|longest shortest|strongest weakest|fastest slowest|easiest hardest|
busy idle|permanent interim|ever never|anybody nobody|anyone nobody|everyone nobody|everything nothing|
something nothing|somewhere nowhere|both neither|pessimism optimism|calmly anxiously|openly secretly|publicly secretly|
voluntarily forcibly|gladly reluctantly|favour disfavour|favorable unfavorable|favourable unfavourable|stable volatile|
stability instability|certainty doubt|certainty uncertainty|trust doubt|believe doubt|pleased displeased|
content discontent|united divided|unite divide|unity division|merge split|hero villain|innocence guilt|
freedom captivity|release imprison|release detain|free detain|reveal conceal|reveal hide|expose hide|expose conceal|
show hide|stick abandon|keep abandon|continue abandon|continue stop|continue cease|continue halt|continue end|
resume suspend|resume halt|maintain abandon|pursue abandon|complement undermine|strengthen undermine|support undermine|
boost undermine|boost hurt|boost dampen|boost hamper|facilitate hinder|facilitate hamper|enable prevent|enable hinder|
promote prevent|promote hinder|promote discourage|promote demote|aid hinder|assist hinder|recover relapse|
recover worsen|heal hurt|gather scatter|collect distribute|centralised decentralised|centralized decentralized|
simplify complicate|clarify obscure|clarify confuse|oppose back|oppose endorse|oppose favour|oppose favor|
reject endorse|reject embrace|dismiss embrace|dismiss accept|dispute accept|dispute agree|deny acknowledge|
refute confirm|refute support|contradict confirm|contradict support|contradict agree|underestimate overestimate|
undervalue overvalue|overlook notice|overlook consider|inside outdoors|indoors outdoors|overseas domestic|
upstream downstream|upward downward|ascend descend|ascending descending|inbound outbound|incoming outgoing|
import exported|richer poorer|excess shortage|surplus deficit|surplus shortage|abundance scarcity|abundant scarce|
plentiful scarce|crowded empty|crowded deserted|lengthen shorten|widen narrow|deepen ease|tighten loosen|tighten relax|
tighten ease|soften harden
"""
PREFIXES = ("un", "non")
"""What makes the opposite of a word that follows it."""
SHORTEST = 4
"""Letters of a word of which a prefix makes the opposite, so that `until` is not the opposite of `til`."""
ALIASES = """
ceo:chief executive|cfo:chief financial|cto:chief technology|pm:prime minister|mp:member parliament|vp:vice president|
uk:united kingdom|uk:britain|uk:british|britain:british|england:english|scotland:scottish|wales:welsh|ireland:irish|
us:united states|us:america|us:american|usa:us|usa:united states|usa:america|usa:american|america:united states|
eu:european union|un:united nations|nhs:national health|tv:television|france:french|germany:german|spain:spanish|
italy:italian|greece:greek|turkey:turkish|poland:polish|sweden:swedish|denmark:danish|finland:finnish|
netherlands:dutch|holland:dutch|norway:norwegian|switzerland:swiss|china:chinese|japan:japanese|israel:israeli|
iraq:iraqi|pakistan:pakistani|thailand:thai|philippines:filipino|portugal:portuguese|mr:mister|nlp:natural language|
ai:artificial intelligence|ml:machine learning|dr:doctor|st:saint|st:street|ltd:limited|co:company
"""
"""Names and abbreviations, and what else they are called."""


def _groups(text: str) -> list[list[str]]:
    return [group.split() for group in text.replace("\n", " ").split("|") if group.strip()]


BASE = {word: group[0] for group in _groups(IRREGULAR) for word in group[1:]}
BASES = frozenset(BASE.values())


@lru_cache(maxsize=1 << 16)
def form(word: str) -> str:
    """Return the form by which a word is compared: in lower case, of irregular verbs and nouns the base, stemmed."""
    low = word.lower().replace("’", "'").removesuffix("'s")
    if low not in BASE and low.startswith(PREFIXES):  # `unpaid` is the opposite of `paid`, a form of `pay`
        low = next((one + BASE[low[len(one) :]] for one in PREFIXES if low[len(one) :] in BASE), low)
    low = BASE.get(low, low)
    return stem(low) if low.isascii() and low.isalpha() and len(low) > 3 else low


def _connected(groups: list[list[str]]) -> dict[str, frozenset[str]]:
    linked: dict[str, set[str]] = {}
    for group in groups:
        forms = {form(word) for word in group}
        for one in forms:
            linked.setdefault(one, set()).update(forms - {one})
    return {word: frozenset(others) for word, others in linked.items() if others}


SAME_AS = _connected(_groups(SAME))
"""Words that may replace a word, as forms."""
OPPOSITE_OF = _connected(_groups(OPPOSITE))
"""Listed opposites of a word, as forms."""
ALSO_CALLED: dict[str, list[frozenset[str]]] = {}
"""Forms that together are another name."""
for _pair in ALIASES.replace("\n", "").split("|"):
    if _pair.strip():
        _one, _other = ([form(word) for word in side.split()] for side in _pair.split(":"))
        ALSO_CALLED.setdefault(_one[0], []).append(frozenset(_other))
        for _word in _other:
            ALSO_CALLED.setdefault(_word, []).append(frozenset(_one))


def opposites(word: str, others: frozenset[str]) -> frozenset[str]:
    """Return the opposites of a form that are among others: listed ones, and those with a prefix of negation."""
    opposed = OPPOSITE_OF.get(word, frozenset()) & others
    if _takes_prefix(word):
        opposed |= {one for prefix in PREFIXES if (one := prefix + word) in others}
    for prefix in PREFIXES:
        if word.startswith(prefix) and (rest := word[len(prefix) :]) in others and _takes_prefix(rest):
            opposed |= {rest}
    return opposed


def _takes_prefix(word: str) -> bool:
    """Return whether a word with a prefix of negation is its opposite: `until` and `unless` are none."""
    return word in BASES or (len(word) >= SHORTEST and word not in STOP and word != "less")
