"""Function words of seven languages: articles, pronouns, prepositions, conjunctions, auxiliaries.

The lists are meant for the `Analyser`, whose ``"letters"`` pattern splits at apostrophes, so they hold the
pieces that contractions and elisions fall into (*don't* → ``don``, ``t``; *l'école* → ``l``, ``école``).
Content words stay out even where they are frequent, because what is frequent in one collection may name a
category of another. Adverbs of time, place and degree are in only where they carry no topic at all.
"""

from __future__ import annotations

__all__ = ["STOP_WORDS"]

_ENGLISH = """
a an the
i me my mine myself you your yours yourself yourselves he him his himself she her hers herself it its itself
we us our ours ourselves they them their theirs themselves one oneself
this that these those who whom whose which what whoever whomever whichever whatever
somebody someone something anybody anyone anything nobody none nothing everybody everyone everything
each either neither every any some all both few fewer less least little many more most much several
another other others such same own enough no not nor only
about above across after against along alongside amid among amongst around as at before behind below beneath
beside besides between beyond by despite down during except for from in inside into like near of
off on onto out outside over per regarding since than through throughout till to toward
towards under underneath until unto up upon via with within without
and but or so yet if unless although though because while whereas whether lest once
when whenever where wherever why how however therefore thus hence moreover furthermore nevertheless otherwise
also too very quite rather almost just even still already again ever never always often sometimes perhaps
then there here now else instead indeed
am is are was were be been being do does did done doing have has had having
can could may might must shall should will would ought cannot
s t d ll ve re m don didn doesn isn aren wasn weren hasn haven hadn won wouldn shouldn couldn mustn mightn
needn shan ain o y
let etc ie eg
"""

_GERMAN = """
der die das des dem den ein eine einer eines einem einen kein keine keiner keines keinem keinen
ich mich mir mein meine meiner meines meinem meinen du dich dir dein deine deiner deines deinem deinen
er ihn ihm sein seine seiner seines seinem seinen sie ihr ihre ihrer ihres ihrem ihren ihnen es
wir uns unser unsere unserer unseres unserem unseren euch euer eure eurer eures eurem euren sich man
dieser diese dieses diesem diesen jener jene jenes jenem jenen jeder jede jedes jedem jeden
solcher solche solches solchem solchen
welcher welche welches welchem welchen wer wen wem wessen was etwas nichts niemand jemand
alle aller alles allem allen beide beider beiden einige einiger einigen einigem einiges
ander andere anderer anderes anderem anderen mehr viel viele vieler vielen wenig wenige weniger
selbst selber dessen deren denen
und oder aber denn sondern doch jedoch weder sowie sowohl als wie wenn falls ob dass daß weil damit
obwohl während bevor nachdem sobald solange bis indem also daher darum deshalb trotzdem dennoch
an am ans auf aufs aus außer bei beim durch für fürs gegen hinter in im ins mit nach neben ohne seit statt
trotz über um ums unter von vom vor vors wegen zu zum zur zwischen ab
bin bist ist sind seid war waren gewesen sei seien wäre wären
habe hast hat haben habt hatte hatten gehabt hätte hätten
werde wirst wird werden werdet wurde wurden geworden worden würde würden
kann kannst können könnt konnte konnten könnte könnten muss muß musst müssen musste mussten müsste müssten
soll sollst sollen sollte sollten will willst wollen wollte wollten darf dürfen durfte durften dürfte
mag mögen mochte möchte möchten
nicht nur auch schon sehr so dann dort hier da hin her nun jetzt immer wieder noch ja nein
wo wohin woher wann warum dabei dadurch dafür dagegen daran darauf daraus darin darüber davon
dazu etwa bereits
"""

_FRENCH = """
le la les l un une des du de d au aux
je j me m moi tu te t toi il elle on se s soi lui nous vous ils elles eux leur leurs y en
mon ma mes ton ta tes son sa ses notre nos votre vos
ce c cet cette ces ceci cela ça celui celle ceux celles
qui que qu quoi dont où lequel laquelle lesquels lesquelles auquel auxquels auxquelles duquel desquels
desquelles quel quelle quels quelles quiconque
rien aucun aucune chacun chacune chaque quelque quelques certain certaine certains certaines plusieurs
tout toute tous toutes tel telle tels telles autre autres même mêmes nul nulle
et ou ni mais car donc si lorsque lorsqu puisque puisqu quoique quoiqu comme quand afin ainsi alors
parce tandis
à après avant avec chez contre dans depuis derrière dès devant durant entre envers hors jusque jusqu malgré
par parmi pendant pour sans sauf selon sous sur vers via outre
ne n pas plus non oui aussi très trop peu moins encore déjà toujours jamais ici là puis ensuite
cependant pourtant toutefois néanmoins
suis es est sommes êtes sont étais était étions étiez étaient fus fut furent serai sera serons serez seront
serais serait seraient sois soit soyons soyez soient fût étant être
ai as a avons avez ont avais avait avions aviez avaient eut eurent aurai aura aurons aurez auront aurais
aurait auraient aie ait ayons ayez aient eût ayant eu avoir
peut peuvent pouvait pourrait doit doivent devait devrait
comment pourquoi combien
"""

_SPANISH = """
el la los las lo un una unos unas al del
yo me mí mi mis tú te ti tu tus él ella ello ellos ellas se sí su sus
suyo suya suyos suyas nosotros nosotras nos nuestro nuestra nuestros nuestras vosotros vosotras os vuestro
vuestra vuestros vuestras usted ustedes le les conmigo contigo consigo
este esta esto estos estas ese esa eso esos esas aquel aquella aquello aquellos aquellas
que qué quien quién quienes quiénes cual cuál cuales cuáles cuyo cuya
alguien nadie algo nada alguno alguna algunos algunas algún ninguno ninguna ningún cada todo toda todos todas
otro otra otros otras mismo misma mismos mismas tal tales mucho mucha muchos muchas poco poca pocos pocas
varios varias ambos ambas demás
y e o u ni pero sino aunque si porque pues como cuando donde mientras
a ante bajo con contra de desde durante en entre hacia hasta mediante para por según sin sobre tras
no también tampoco muy más menos tan tanto ya aún todavía siempre nunca aquí ahí allí así entonces luego
cómo cuándo dónde cuánto cuánta cuántos cuántas
soy eres es somos sois son era eras éramos eran fui fue fueron ser será serán sería serían sea sean fuera
fueran siendo sido
estoy estás está estamos están estaba estaban estuvo estuvieron estar estará estarán esté estén estando
he has ha hemos habéis han había habían hubo haber habrá habrán habría habrían haya hayan hubiera habiendo hay
puede pueden podía podría debe deben debía debería
"""

_ITALIAN = """
il lo la i gli le l un uno una
io me mi mio mia miei mie tu te ti tuo tua tuoi tue egli ella esso essa essi esse lui lei loro si sé suo sua
suoi sue noi ci nostro nostra nostri nostre voi vi vostro vostra vostri vostre li ne
questo questa questi queste quest quello quella quelli quelle quel quei quegli quell ciò colui colei coloro
che chi cui quale quali qual
qualcuno qualcosa nessuno nessuna nulla niente alcuno alcuna alcuni alcune ogni ognuno ciascuno ciascuna
tutto tutta tutti tutte tutt altro altra altri altre stesso stessa stessi stesse tale tali molta
molti molte poco poca pochi poche entrambi entrambe
e ed o od oppure né ma però anzi se perché poiché affinché benché sebbene come quando dove mentre dunque
quindi perciò anche pure inoltre
a ad al allo alla ai agli alle all di d del dello della dei degli delle dell da dal dallo dalla dai dagli
dalle dall in nel nello nella nei negli nelle nell con col coi su sul sullo sulla sui sugli sulle sull
per tra fra contro dopo durante entro fino prima senza sopra sotto verso presso tramite
non più meno molto già ancora sempre mai qui qua lì là così allora poi ecco cioè
sono sei è siamo siete era erano ero eravamo fu furono sarà saranno sarebbe sarebbero sia siano fosse fossero
essere essendo stata state
ho hai ha abbiamo avete hanno avevo aveva avevano ebbe ebbero avrà avranno avrebbe avrebbero abbia abbiano
avesse avessero avere avendo avuto c s v m t
può possono poteva potrebbe deve devono doveva dovrebbe
"""

_DUTCH = """
de een der des den t n s
ik me mij mijn je jij jou jouw u uw hij hem zijn zij ze haar het we wij ons onze jullie hun
hen zich zichzelf men
deze dit die dat dezelfde hetzelfde zulk zulke degene diegene
wie wat welk welke
iemand niemand iets niets alles alle allen elk elke ieder iedere iedereen enkele enige sommige beide andere
ander anderen veel vele weinig meer meest minder zelf zelfs eigen geen
en maar want dus noch als dan indien wanneer terwijl toen omdat doordat zodat opdat hoewel tenzij
voordat nadat totdat sinds zodra zoals of
aan achter bij binnen boven buiten door gedurende in langs met na naar naast om onder op over per rond
rondom tegen tegenover ten ter tijdens tot tussen uit van vanaf vanuit vanwege via volgens voor
wegens zonder
niet ook al nog wel zo zeer heel erg te er hier daar waar ergens nergens nu nooit ooit altijd weer reeds toch
slechts even echter immers
hoe waarom waardoor waarmee waarin waarop waarvan waaraan daarom daardoor daarmee daarin daarop daarvan
daaraan hierdoor hiermee hierin hierop hiervan ervan erop erin eraan ermee
ben bent is was waren geweest wezen
heb hebt heeft hebben had hadden gehad
word wordt worden werd werden geworden
zal zult zullen zou zouden kan kunt kunnen kon konden moet moeten moest moesten mag mogen mocht mochten
wil wilt willen wilde wilden hoeft hoeven ja nee
"""

_PORTUGUESE = """
o a os as um uma uns umas
eu me mim meu minha meus minhas comigo tu te ti teu tua teus tuas contigo ele ela eles elas si seu sua seus
suas consigo nós nosso nossa nossos nossas conosco vós vos vosso vossa vossos vossas você vocês
lhe lhes lo la los las
este esta estes estas isto esse essa esses essas isso aquele aquela aqueles aquelas aquilo
que quê quem qual quais cujo cuja cujos cujas
alguém ninguém algo nada algum alguma alguns algumas nenhum nenhuma cada todo toda todos todas tudo outro
outra outros outras mesmo mesma mesmos mesmas tal tais muita muitos muitas pouco pouca poucos poucas vários
várias ambos ambas demais
e ou nem mas porém contudo todavia entretanto embora se porque pois como quando onde enquanto
portanto logo
ao aos à às ante após até com contra de do da dos das d desde durante em no na nos nas num numa
entre para per perante pelo pela pelos pelas por sem sob sobre trás
deste desta destes destas disto desse dessa desses dessas disso daquele daquela daqueles daquelas daquilo
neste nesta nestes nestas nisto nesse nessa nesses nessas nisso naquele naquela naqueles naquelas dele dela
deles delas nele nela neles nelas
não sim também já ainda mais menos tão tanto muito só apenas sempre nunca aqui ali lá aí assim então
sou és é somos são era eras éramos eram fui foi fomos foram ser será serão seria seriam seja sejam fosse
fossem sendo sido
estou está estamos estão estava estavam esteve estiveram estar estará esteja estejam estando
tenho tem temos têm tinha tinham teve tiveram ter terá terão teria teriam tenha tenham tendo tido
há havia houve haver haja hei hão
pode podem podia poderia deve devem devia deveria
"""

STOP_WORDS: dict[str, frozenset[str]] = {
    "dutch": frozenset(_DUTCH.split()),
    "english": frozenset(_ENGLISH.split()),
    "french": frozenset(_FRENCH.split()),
    "german": frozenset(_GERMAN.split()),
    "italian": frozenset(_ITALIAN.split()),
    "portuguese": frozenset(_PORTUGUESE.split()),
    "spanish": frozenset(_SPANISH.split()),
}
"""Language name → its stop words, in lower case and composed form (NFC)."""
