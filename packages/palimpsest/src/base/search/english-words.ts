/**
 * English words that say nothing about what a text is about, and forms that no suffix tells of.
 */

/** Words that nearly every text has. What is left of `don't` and `we'll` belongs to them. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    "a an the of to in on at for from by with and or but if is are was were be been being am do does did done doing " +
    "have has had having i you he she it we they me him her us them my your his its our their mine yours hers ours " +
    "theirs this that these those what which who whom whose when where why how not no nor so as than then there here " +
    "can could will would shall should may might must about into over after before too very just any some many much " +
    "such both each few also s t ll ve re d m don didn doesn isn wasn aren weren won wouldn couldn shouldn hasn " +
    "haven hadn ain"
  ).split(" "),
);

/** A form and the word that it is a form of: verbs and nouns that bend within, and numbers as words. */
export const OTHER_FORMS: ReadonlyMap<string, string> = new Map(
  (
    "went:go gone:go goes:go came:come became:become bought:buy brought:bring thought:think taught:teach " +
    "caught:catch fought:fight sought:seek made:make took:take taken:take gave:give given:give got:get gotten:get " +
    "saw:see seen:see knew:know known:know grew:grow grown:grow drew:draw drawn:draw flew:fly flown:fly threw:throw " +
    "thrown:throw blew:blow blown:blow shown:show wrote:write written:write drove:drive driven:drive rode:ride " +
    "ridden:ride rose:rise risen:rise spoke:speak spoken:speak broke:break broken:break chose:choose chosen:choose " +
    "froze:freeze frozen:freeze stole:steal stolen:steal woke:wake woken:wake wore:wear worn:wear tore:tear " +
    "torn:tear bore:bear born:bear swore:swear sworn:swear forgot:forget forgotten:forget began:begin begun:begin " +
    "drank:drink drunk:drink rang:ring rung:ring sang:sing sung:sing swam:swim swum:swim ran:run sat:sit " +
    "stood:stand understood:understand lost:lose found:find felt:feel kept:keep slept:sleep left:leave met:meet " +
    "led:lead paid:pay said:say told:tell sold:sell sent:send spent:spend built:build lent:lend bent:bend held:hold " +
    "heard:hear ate:eat eaten:eat fell:fall fallen:fall hid:hide hidden:hide bit:bite bitten:bite shot:shoot " +
    "stuck:stick struck:strike hung:hang dug:dig meant:mean dealt:deal dreamt:dream learnt:learn burnt:burn " +
    "spelt:spell shook:shake shaken:shake laid:lay lit:light fed:feed fled:flee bled:bleed bred:breed sped:speed " +
    "slid:slide spun:spin swept:sweep wept:weep children:child men:man women:woman people:person feet:foot " +
    "teeth:tooth mice:mouse geese:goose wives:wife knives:knife better:good best:good " +
    "worse:bad worst:bad one:1 two:2 three:3 four:4 five:5 six:6 seven:7 eight:8 nine:9 ten:10 eleven:11 twelve:12"
  )
    .split(" ")
    .map((pair) => pair.split(":") as [string, string]),
);
