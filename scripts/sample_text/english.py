"""English documents from sentence patterns; every pattern is used at most once in a document."""

import random

FIRST = (
    "Ada Ben Clara Dev Elena Farid Grace Hugo Ines Jonas Karin Liam Mara Nils Olga Pavel Quinn Rosa Samir Tess".split()
)
LAST = "Abbott Brandt Castell Dorsey Eklund Ferro Gilroy Hartley Ivers Jansen Kovac Lowell Moran Novak Osborne".split()
TOWNS = "Aldermere Brackford Coldwater Dunmore Eastholm Fernley Glanmoor Harrowby Kelstrand Lindport Marsholt".split()
MONTHS = "January February March April May June July August September October November December".split()
DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
WEATHER = [
    "a week of frost",
    "steady rain",
    "two dry months",
    "the spring floods",
    "a late heat wave",
    "thick morning fog",
]

TOPICS: dict[str, dict[str, list[str]]] = {
    "bridge": {
        "title": [
            "Repairs on the {town} footbridge",
            "What the divers found under the {town} bridge",
            "A bridge older than its maps",
        ],
        "thing": ["the north pier", "the oak decking", "the iron railing", "the drainage channel", "the stone arch"],
        "said": [
            "{p1} measured {thing} with a laser level and found that it had sunk {n} millimetres since {year}.",
            "Divers went down {n} times before anyone could agree on the state of the foundations.",
            "The original drawings, kept in a drawer in {town}, show a span that was never built.",
            "Traffic was limited to bicycles while {thing} was propped up with steel beams.",
            "Mortar from the river side crumbled at the touch, but the inner courses were still as hard as new.",
            "A load test with water tanks weighing {n} tonnes settled the argument about lorries.",
            "{p2}, who inspects crossings for the county, prefers to tap the stones and listen.",
            "Salt is the quiet enemy here: it creeps along {thing} and splits the surface every winter.",
            "They replaced {n} bolts by hand because no machine fits between the ribs.",
        ],
    },
    "bakery": {
        "title": ["Why the bread tastes different this {month}", "Rye, water and patience", "A second oven for {town}"],
        "thing": ["the sourdough starter", "the deck oven", "the rye flour", "the proving baskets", "the old mixer"],
        "said": [
            "{p1} feeds the starter at four in the morning and writes the temperature on the wall in chalk.",
            "A cold kitchen slows the dough down by about {n} minutes, which nobody tells you in recipes.",
            "The flour from {town} drinks more water than it used to, so every loaf had to be weighed again.",
            "On {day} they sold {n} loaves before nine and closed early, slightly embarrassed.",
            "Steam makes the crust; without it the surface sets too soon and the loaf tears at the side.",
            "{p2} burned an entire tray of rolls while explaining to a customer how not to burn rolls.",
            "The miller now delivers {thing} in paper sacks, and the difference in smell is remarkable.",
            "Nothing in the shop is as stubborn as {thing}, and nothing is loved more.",
            "An apprentice needs roughly {n} weeks until the shaping looks careless in the right way.",
        ],
    },
    "birds": {
        "title": ["Counting waders at {town}", "The {month} bird survey", "Notes from the reed bed"],
        "thing": ["the colony of terns", "a pair of marsh harriers", "the lapwings", "one tired osprey", "the bittern"],
        "said": [
            "The count began before sunrise, with {n} volunteers spread along the sea wall.",
            "{p1} heard {thing} long before anybody saw it, and waved the others to a halt.",
            "Numbers were down by {n} percent against {year}, although the weather may explain part of that.",
            "A fox had learned the timetable of the wardens and visited the island between their rounds.",
            "Ringing data show that the same birds return to {town} from a lagoon two thousand kilometres south.",
            "{p2} keeps a list of mistakes, and the longest entry concerns a plastic bag taken for an egret.",
            "Low water exposed mud that had been covered for years, and {thing} fed there until dark.",
            "They agreed to count in pairs, since a single observer tends to round upwards when cold.",
            "By the end of {month} the reeds were too tall for telescopes, so the work moved to the tower.",
        ],
    },
    "tram": {
        "title": ["Line {n} runs again", "How {town} keeps its trams on time", "The night shift at the depot"],
        "thing": ["the rear bogie", "the overhead wire", "the signal relay", "car {n}", "the timetable board"],
        "said": [
            "Every tram that enters the depot is washed, weighed and listened to, in that order.",
            "{p1} can tell from the sound on the curve at Mill Street whether {thing} needs grease.",
            "The new timetable leaves {n} seconds for each stop, which is generous in summer and a joke in snow.",
            "Track workers found a wooden sleeper stamped {year} beneath the asphalt of the market square.",
            "When the power failed on {day}, passengers walked the last stretch in single file along the rails.",
            "{p2} wrote the announcement herself and refused to call the delay an operational irregularity.",
            "Spare parts come from a museum in {town}, whose director drives a hard bargain.",
            "Sand is dropped in front of the wheels when leaves make the rail as slick as soap.",
            "Drivers train for {n} days on an empty loop before they meet a single pedestrian.",
        ],
    },
    "archive": {
        "title": ["A box nobody had opened", "The parish registers of {town}", "Letters from {year}"],
        "thing": [
            "a bundle of tax receipts",
            "the harbour master's diary",
            "a hand-coloured map",
            "the guild accounts",
        ],
        "said": [
            "Mould had eaten the first {n} pages, yet the index at the back survived without a stain.",
            "{p1} reads the handwriting of five different clerks and has strong opinions about each of them.",
            "Among the papers lay {thing}, folded so tightly that it took an afternoon to open.",
            "The ink turned brown because someone in {town} had economised on oak gall.",
            "Digitising a volume costs less than a day, but describing it properly takes a season.",
            "{p2} discovered that two families who had feuded for decades shared a great-grandmother.",
            "An entry from {month} {year} lists the price of candles next to the price of a horse.",
            "Readers must wash their hands, since gloves tear more paper than clean fingers do.",
            "The catalogue knows {n} thousand items; the cellar, everyone suspects, holds twice as many.",
        ],
    },
    "garden": {
        "title": ["Beans, slugs and committee meetings", "Allotment news for {month}", "What grew in {town} this year"],
        "thing": ["the compost heap", "the plum tree", "the greenhouse pane", "a row of leeks", "the water butt"],
        "said": [
            "{p1} planted the potatoes {n} days later than usual and was the only one to escape the frost.",
            "Slugs ignore beer, despise copper tape and adore young lettuce, as the log book proves.",
            "After {weather}, {thing} looked as if somebody had ironed it.",
            "A neighbour swapped {n} kilos of courgettes for a jar of honey and considered it a bargain.",
            "The soil report came back from {town} with more phosphate than anybody had guessed.",
            "{p2} lets the nettles stand behind the shed, because the butterflies got there first.",
            "Seed saved from {year} still germinates, provided that it has been kept dark and boring.",
            "Digging is out of fashion here; a thick layer of straw does the work without complaint.",
            "On {day} the gate was left open and three sheep inspected the cabbages thoroughly.",
        ],
    },
    "weather": {
        "title": ["The station on the hill", "Sixty years of rain at {town}", "Reading the barometer"],
        "thing": [
            "the rain gauge",
            "the wind vane",
            "the thermometer screen",
            "the barograph drum",
            "the sunshine recorder",
        ],
        "said": [
            "Readings are taken at seven, at two and at nine, whatever the observer would rather be doing.",
            "{p1} cleared a spider out of {thing} and the humidity dropped by {n} points at once.",
            "The wettest {month} on record belongs to {year}, when the cellar of the town hall became a pond.",
            "Snow depth is the average of {n} sticks, none of which stands where the children sledge.",
            "A gap of eleven days in the ledger coincides exactly with a wedding in {town}.",
            "{p2} compared the electronic sensor with the glass one for a year and trusts neither completely.",
            "Pressure fell so fast on {day} that the pen of the instrument ran off its paper.",
            "Clouds are still described by eye, in words that have hardly changed for a century.",
            "The station moved {n} metres uphill, which sounds trivial and spoiled a decade of comparisons.",
        ],
    },
    "theatre": {
        "title": [
            "Opening night without a curtain",
            "The {town} players look for a villain",
            "Thirty costumes, two sewing machines",
        ],
        "thing": [
            "the painted backdrop",
            "the trapdoor",
            "the borrowed chandelier",
            "the thunder sheet",
            "the prompter's lamp",
        ],
        "said": [
            "The lead lost her voice on {day}, and {p1} read the part from the wings with a torch.",
            "Rehearsals take place in the fire station, so a scene may end abruptly with a siren.",
            "{p2} built {thing} out of {n} apple crates and a great deal of optimism.",
            "Tickets cost the same as in {year}, because no one wants to repaint the sign.",
            "Half of the audience had a cousin on stage, and the other half had lent the furniture.",
            "During the storm scene {thing} came down a little early and stole the applause.",
            "A critic from {town} called the second act brave, which the cast took as a compliment.",
            "They cut {n} pages of dialogue, and not even the author noticed where.",
            "Make-up is taught by a retired dentist with steady hands and endless patience.",
        ],
    },
    "bees": {
        "title": ["Swarm season in {town}", "How a hive survives {month}", "Honey with a view of the tracks"],
        "thing": ["the brood box", "the smoker", "an old queen", "the entrance board", "the second super"],
        "said": [
            "A swarm settled on a traffic light and left {n} minutes later, as if it had waited for green.",
            "{p1} weighs every hive on the first of the month and plots the curve on squared paper.",
            "Lime blossom gave little nectar after {weather}, so the bees turned to clover.",
            "Mites were found in {n} of the colonies, fewer than feared and more than hoped.",
            "{p2} works without gloves and says that fear has a smell, though science is undecided.",
            "The honey from {town} is dark and slightly bitter because of the chestnut woods.",
            "When {thing} was lifted, the sound rose from a murmur to something like distant applause.",
            "In winter the cluster keeps its heart at the warmth of a summer afternoon.",
            "Wasps tried the western entrance first and were thrown out with admirable efficiency.",
        ],
    },
    "clocks": {
        "title": ["The tower clock that ran backwards", "A workshop full of ticking", "Restoring the {town} chimes"],
        "thing": ["the escapement", "the pendulum rod", "the striking train", "a cracked jewel", "the winding barrel"],
        "said": [
            "{p1} took the movement apart on a bed sheet, because a dropped screw is heard but never found.",
            "The clock lost {n} seconds a day until a pigeon's nest was removed from behind the dial.",
            "Brass from {year} is softer than it looks, and an eager file does more harm than rust.",
            "For the people of {town} the hour strikes twice, once on time and once for the deaf.",
            "{p2} oils {thing} with a needle and then wipes most of it away again.",
            "A customer brought three watches in a biscuit tin, all of them stopped at different kinds of noon.",
            "Temperature bends the rod by less than a hair, yet over a winter that adds up to {n} minutes.",
            "The missing gear was cut anew from a drawing that had served as a bookmark.",
            "Listening comes first: a healthy beat is even, like someone walking who knows the way.",
        ],
    },
    "harbour": {
        "title": ["Before the boats go out", "Ice, nets and paperwork", "The {town} harbour in {month}"],
        "thing": ["the ice machine", "the north mole", "a torn trawl net", "the auction clock", "the fuel pontoon"],
        "said": [
            "{p1} mends nets in the lee of the wall and talks to the gulls as if they were trainees.",
            "The catch was {n} boxes of plaice, sold in less time than it takes to boil an egg.",
            "Since {year} every box carries a tag that names the boat, the hour and the patch of sea.",
            "A ship from {town} waited outside for two tides because the channel had silted up again.",
            "{p2} keeps the tide table by heart and checks it anyway.",
            "After {weather}, {thing} had to be dragged back to where it belonged.",
            "Young crews rely on the plotter, the older ones on the colour of the water, and both get home.",
            "Paint lasts {n} months here, then the salt has found its way under every edge.",
            "On {day} a seal came up the slipway and inspected the queue for coffee.",
        ],
    },
    "school": {
        "title": ["A robot made of biscuit tins", "The pupils who mapped {town}", "Science week in {month}"],
        "thing": [
            "the weather balloon",
            "a solar cooker",
            "the model volcano",
            "the seismograph",
            "a cardboard telescope",
        ],
        "said": [
            "Class {n} measured the shadow of the church and arrived at a height that was almost right.",
            "{p1} asked why the sky is dark at night, and the lesson plan did not survive the question.",
            "The group from {town} tested {thing} on the playground while the caretaker looked the other way.",
            "{p2} collected rainfall in {n} yoghurt pots and discovered that roofs lie.",
            "A magnet, a coil and a very long corridor were enough to explain the telephone.",
            "Nobody failed, although {thing} did, twice, and with considerable noise.",
            "Their report from {year} hangs framed in the staff room, spelling mistakes included.",
            "Parents were asked to bring batteries and brought advice instead.",
            "The winning entry was a list of questions that no adult in the room could answer.",
        ],
    },
}

GENERAL = [
    "Money, as usual, was the last thing to be discussed and the first to run out.",
    "{p1} had expected a quiet {month} and got anything but that.",
    "It began with a letter from {town} that everybody had read and nobody had answered.",
    "The plan looked simple on paper: {n} people, one van and a long weekend.",
    "What surprised the visitors most was how little of it could be seen from the road.",
    "Asked whether it had been worth the trouble, {p2} laughed and pointed at {thing}.",
    "There is no manual for this kind of work, only a notebook that goes from hand to hand.",
    "For a while it seemed that {thing} would have to be given up altogether.",
    "The council promised an answer by {day} and, against all experience, kept its word.",
    "Since then the costs have risen by {n} percent, while the budget has not moved.",
    "Some details remain disputed, and the people involved prefer it that way.",
    '"We learned more from the failures," {p1} says, "but I would not recommend the method."',
    "Outsiders tend to underestimate the waiting, which takes up most of the day.",
    "Anyone who wants to help is welcome on {day}, preferably with boots.",
    "The second attempt in {month} went better, not least because of the lessons of the first.",
    "Rumours of a sale turned out to be exactly that.",
    "A photograph from {year} shows the same spot, hardly changed except for the hats.",
    "Most of the tools were borrowed, and about half of them have been returned.",
    "In {town} they tell the story differently, with more rain and a happier ending.",
    "It took {n} telephone calls to find somebody who still knew how it was done.",
    "Next year {p2} will hand over to a successor, who has yet to be told.",
    "The figures are preliminary; the final ones are due before the end of {month}.",
    "Everyone agrees that something must be done about {thing}, though not on what.",
    "By evening the wind had dropped and the last of the helpers went home.",
    "Two neighbours offered their garage, a gesture that was accepted before they could think again.",
    "Compared with {year}, the work is safer, slower and better documented.",
    "No one could say afterwards whose idea it had been, which may be why it succeeded.",
    "The insurance company sent a form with {n} questions, none of which applied.",
    "Children got in free, dogs were tolerated, and drones were sent away.",
    "After {weather} even the optimists had started to look at the calendar.",
    "{p2} wrote everything down in a blue ledger that smells faintly of petrol.",
    "A small exhibition in {town} now shows what had long been hidden in sheds.",
    "Of the {n} applications that arrived, three were serious and one was brilliant.",
    "The rest is routine: check, note, repeat, and never trust the first result.",
    "Whether the experiment can be repeated elsewhere is an open question.",
    "They celebrated with soup, because cake had been ruled out by experience.",
    "Later {p1} admitted that the decisive hint had come from a stranger on the bus.",
    "All of this happened within sight of the motorway, and hardly a driver noticed.",
    "A grant covers the materials; the hours, some {n} of them so far, are a gift.",
    "Critics point out that the same result might have been had for less.",
]


def document(rng: random.Random, *, paragraphs: int = 4) -> str:
    """Returns a title and some paragraphs about one topic."""
    topic = TOPICS[rng.choice(sorted(TOPICS))]
    people = rng.sample([f"{first} {last}" for first in FIRST for last in LAST], 2)
    count = paragraphs * 4
    specific = rng.sample(topic["said"], min(len(topic["said"]), count // 2))
    sentences = specific + rng.sample(GENERAL, count - len(specific))
    rng.shuffle(sentences)
    filled = [_fill(rng, sentence, topic, people) for sentence in sentences]
    parts = [_fill(rng, rng.choice(topic["title"]), topic, people)]
    while filled:
        size = rng.randint(3, 5)
        parts.append(" ".join(filled[:size]))
        filled = filled[size:]
    return "\n\n".join(parts)


def long_document(rng: random.Random) -> str:
    """Returns a report about every topic, far longer than the others, in which no pattern is used twice."""
    parts = [f"A year in {rng.choice(TOWNS)}: the complete report"]
    for name in sorted(TOPICS):
        people = rng.sample([f"{first} {last}" for first in FIRST for last in LAST], 2)
        filled = [_fill(rng, sentence, TOPICS[name], people) for sentence in TOPICS[name]["said"]]
        parts += [" ".join(filled[:5]), " ".join(filled[5:])]
    return "\n\n".join(parts)


def _fill(rng: random.Random, pattern: str, topic: dict[str, list[str]], people: list[str]) -> str:
    """Returns *pattern* with every slot filled; a thing may itself hold a number."""
    text = pattern.replace("{thing}", rng.choice(topic["thing"]))
    text = text.format(
        p1=people[0],
        p2=people[1],
        town=rng.choice(TOWNS),
        month=rng.choice(MONTHS),
        day=rng.choice(DAYS),
        year=rng.randint(1887, 2023),
        n=rng.randint(3, 96),
        weather=rng.choice(WEATHER),
    )
    return text[0].upper() + text[1:]
