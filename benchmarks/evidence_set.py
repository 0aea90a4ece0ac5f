"""A hand-made set of 100 supported claims with the one sentence that supports each; 20 passages of different kinds."""

from __future__ import annotations

from typing import NamedTuple


class Passage(NamedTuple):
    """Sentences of a passage, and claims with the number of the sentence that supports them, from 0."""

    sentences: tuple[str, ...]
    claims: tuple[tuple[str, int], ...]


PASSAGES = (
    Passage(
        (
            "The Velder bridge was closed to lorries in February after inspectors found cracks in two girders.",
            "The council expects repairs to take eleven weeks and to cost 1.3 million euros.",
            "Cars and bicycles may still cross at walking speed.",
            "Bakeries on the east bank say that deliveries now arrive an hour late.",
            "An older wooden bridge stood in the same place until 1911.",
            "The mayor has asked the province to share the expense.",
        ),
        (
            ("Heavy vehicles cannot use the bridge because of damaged girders.", 0),
            ("Mending the bridge will last eleven weeks.", 1),
            ("Cyclists can still get across if they go slowly.", 2),
            ("Bakers complain of late deliveries.", 3),
            ("The mayor wants the province to pay a part.", 5),
        ),
    ),
    Passage(
        (
            "Patients received either 20 mg of the drug or a placebo every morning for twelve weeks.",
            "Of the 214 who began, 188 completed the trial.",
            "Mean pain scores fell by 1.9 points with the drug and by 0.7 points with the placebo.",
            "Nausea was the most frequent side effect and led nine patients to stop.",
            "The sponsor had no part in the analysis.",
            "Whether the benefit lasts beyond three months is not known.",
        ),
        (
            ("Treatment was given once a day in the morning.", 0),
            ("188 people finished the study.", 1),
            ("Pain decreased more with the drug than with placebo.", 2),
            ("Nine participants dropped out because they felt sick.", 3),
            ("The analysis was independent of the sponsor.", 4),
        ),
    ),
    Passage(
        (
            "Quarterly revenue rose 12 percent to 84 million dollars, helped by sales of spare parts.",
            "Operating profit, however, slipped to 6 million dollars because steel became more expensive.",
            "The company opened a second plant in Leiria in May.",
            "It will hire 150 workers there before winter.",
            "Chief executive Marta Nunes said orders for next year were already above plan.",
            "Shares closed 3 percent higher.",
        ),
        (
            ("Spare parts contributed to higher revenue in the quarter.", 0),
            ("Costlier steel reduced operating profit.", 1),
            ("A new factory started in Leiria.", 2),
            ("The firm plans to employ 150 more people.", 3),
            ("According to Nunes, orders exceed the plan.", 4),
        ),
    ),
    Passage(
        (
            "Ana: We still have no room for the workshop on Thursday.",
            "Ben: I asked the library, and they offer the small hall from two to five.",
            "Carla: The projector there is broken, so someone must bring one.",
            "Ben: I can borrow one from the film club.",
            "Ana: Good, then I will send the invitation tonight.",
            "Carla: Please mention that lunch is not included.",
        ),
        (
            ("The library can give them the small hall in the afternoon.", 1),
            ("The hall's projector does not work.", 2),
            ("Ben will get a projector from the film club.", 3),
            ("Ana will invite people this evening.", 4),
            ("Carla wants it said that there is no lunch.", 5),
        ),
    ),
    Passage(
        (
            "Grey herons breed in colonies, usually in tall trees near water.",
            "A pair adds sticks to the same nest year after year.",
            "The female lays four or five bluish eggs in March.",
            "Both parents take turns on the eggs for about 26 days.",
            "Young birds leave the nest after seven or eight weeks.",
            "Hard winters are the main cause of death in their first year.",
        ),
        (
            ("Herons nest together in high trees close to water.", 0),
            ("The same nest is used and enlarged each year.", 1),
            ("Eggs are laid in March.", 2),
            ("Father and mother both incubate.", 3),
            ("Many first-year herons die in severe winters.", 5),
        ),
    ),
    Passage(
        (
            "To reset the router, hold the small button on the back for ten seconds.",
            "All lights go out and come back one after the other.",
            "Your password and the name of the network return to those printed on the label.",
            "Open the address on the label in a browser to choose new ones.",
            "Do not cut the power during an update.",
            "If the last light stays red, call the hotline.",
        ),
        (
            ("Pressing the rear button for ten seconds resets the device.", 0),
            ("A reset restores the network name and password of the label.", 2),
            ("New settings can be chosen in a browser.", 3),
            ("Power must not be interrupted while updating.", 4),
            ("Call support when the final light remains red.", 5),
        ),
    ),
    Passage(
        (
            "The tenant pays 940 euros a month, due on the third working day.",
            "Heating and water are included, electricity is not.",
            "Either side may end the contract with three months' notice.",
            "Pets need the written consent of the landlord.",
            "The deposit of two months' rent is returned within six weeks after the keys are handed over.",
            "Small repairs up to 80 euros are paid by the tenant.",
        ),
        (
            ("Monthly rent is 940 euros.", 0),
            ("Electricity has to be paid separately.", 1),
            ("Three months' notice ends the contract.", 2),
            ("A landlord has to agree in writing to a pet.", 3),
            ("Tenants cover minor repairs themselves, up to 80 euros.", 5),
        ),
    ),
    Passage(
        (
            "Ostrava beat Lindale 3-1 in front of 18,000 spectators on Sunday.",
            "Petr Havel scored twice before the break.",
            "Lindale's goalkeeper Owen Marsh was sent off in the 61st minute.",
            "The visitors nevertheless pulled one back through a header by Suda.",
            "Ostrava move up to second place, two points behind Brandt.",
            "Their next match is on Wednesday against Kolm.",
        ),
        (
            ("Eighteen thousand people watched Ostrava win.", 0),
            ("Havel had two goals by half-time.", 1),
            ("Marsh received a red card and had to leave.", 2),
            ("Suda scored for the visitors with his head.", 3),
            ("Ostrava are now second in the table.", 4),
        ),
    ),
    Passage(
        (
            "We present a parser that needs no treebank of the target language.",
            "It is trained on parallel sentences whose trees are projected from English.",
            "On eleven languages it improves labelled attachment by 4.2 points on average.",
            "Gains are smallest for languages with free word order.",
            "An ablation shows that filtering noisy alignments matters most.",
            "Code and models are released under the MIT licence.",
        ),
        (
            ("The parser does without annotated trees in the target language.", 0),
            ("English trees are projected through parallel text for training.", 1),
            ("Average attachment scores rise by 4.2 points.", 2),
            ("Free word order benefits least.", 3),
            ("Removing noisy alignments was the most important factor.", 4),
        ),
    ),
    Passage(
        (
            "The museum opens daily except Mondays from ten until six.",
            "Admission is 9 euros, and children under twelve enter free.",
            "The collection holds 340 clocks, the oldest from 1560.",
            "A guided tour in English starts at eleven on Saturdays.",
            "The café in the courtyard closes in winter.",
            "Trams 4 and 9 stop in front of the entrance.",
        ),
        (
            ("On Mondays the museum is shut.", 0),
            ("Children below twelve pay nothing.", 1),
            ("Its oldest clock dates from 1560.", 2),
            ("There are English tours on Saturday at eleven.", 3),
            ("You can reach the entrance by tram 4 or 9.", 5),
        ),
    ),
    Passage(
        (
            "Heavy rain on Tuesday night flooded cellars in the old town of Merin.",
            "Firefighters pumped water from more than sixty houses.",
            "Nobody was injured, but two schools remained closed.",
            "The river gauge reached 4.8 metres, its highest level since 2002.",
            "Insurers put the damage at about 15 million dollars.",
            "Forecasters expect dry weather from Friday.",
        ),
        (
            ("Cellars in Merin were under water after heavy rain.", 0),
            ("Over sixty homes had to be pumped out by the fire service.", 1),
            ("There were no injuries.", 2),
            ("The river had not been so high since 2002.", 3),
            ("Damage is estimated at roughly 15 million dollars by insurers.", 4),
        ),
    ),
    Passage(
        (
            "Whisk the eggs with the sugar until the mixture is pale.",
            "Fold in the flour and the melted butter by hand.",
            "Pour the batter into a greased tin of 24 centimetres.",
            "Bake for 35 minutes at 180 degrees.",
            "Let the cake cool for an hour before you cut it.",
            "It keeps for three days in a closed box.",
        ),
        (
            ("Eggs and sugar are beaten until they turn pale.", 0),
            ("Flour and butter are folded in by hand.", 1),
            ("The oven should have 180 degrees.", 3),
            ("Wait an hour before cutting the cake.", 4),
            ("In a closed box the cake stays good for three days.", 5),
        ),
    ),
    Passage(
        (
            "Ida Krohn was born in Tartu in 1874, the daughter of a piano maker.",
            "She studied chemistry in Zurich, where women were admitted earlier than elsewhere.",
            "In 1903 she isolated a blue pigment from lichens.",
            "The dye was sold under the name of her employer, not hers.",
            "From 1920 she taught at a girls' school in Riga.",
            "A street in Tartu has been named after her since 1998.",
        ),
        (
            ("Krohn's father built pianos.", 0),
            ("She read chemistry at Zurich.", 1),
            ("She obtained a blue pigment from lichens in 1903.", 2),
            ("Her employer's name, rather than her own, was on the dye.", 3),
            ("Tartu named a street in her honour in 1998.", 5),
        ),
    ),
    Passage(
        (
            "Your order 7731 left our warehouse on 4 June.",
            "The desk comes in two parcels, the lamp in a third.",
            "The carrier will send you a message with a two-hour window.",
            "If nobody is at home, the parcels go to the shop at Hill Street 12.",
            "You can return everything within 30 days without giving a reason.",
            "Please keep the original packaging until then.",
        ),
        (
            ("Order 7731 was shipped on 4 June.", 0),
            ("There are two parcels for the desk.", 1),
            ("A message will announce a window of two hours.", 2),
            ("Parcels are left at the Hill Street shop when no one is in.", 3),
            ("Returns are possible for 30 days, without a reason.", 4),
        ),
    ),
    Passage(
        (
            "Lake Orm lies 1,240 metres above sea level in a valley carved by ice.",
            "It freezes from December to April in most years.",
            "Its only outflow is the Stilla, which reaches the fjord after 40 kilometres.",
            "Trout were released in the lake in the 1930s and have driven out the native char.",
            "Motor boats are forbidden.",
            "A hut on the north shore sleeps twelve hikers.",
        ),
        (
            ("The lake is 1,240 metres high.", 0),
            ("From December until April there is usually ice.", 1),
            ("The Stilla is the only river that leaves the lake.", 2),
            ("Native char were displaced by trout.", 3),
            ("Twelve hikers can sleep in the hut in the north.", 5),
        ),
    ),
    Passage(
        (
            "Customer: My card was charged twice for the same ticket.",
            "Agent: I can see both payments, and I am sorry about that.",
            "Agent: The second one will be refunded within five working days.",
            "Customer: I also need an invoice with my company's address.",
            "Agent: You can download it from your account once the refund is booked.",
            "Customer: Fine, thanks for the quick help.",
        ),
        (
            ("The customer paid two times for one ticket.", 0),
            ("The agent confirms that there are two payments.", 1),
            ("A refund takes up to five working days.", 2),
            ("An invoice showing the company's address is wanted.", 3),
            ("Invoices can be downloaded from the account after the refund.", 4),
        ),
    ),
    Passage(
        (
            "The committee rejected the proposal to lower the voting age by seven votes to five.",
            "Supporters argued that pupils pay taxes on their first wages.",
            "Opponents feared that turnout would fall further.",
            "Chair Lena Woods abstained because her daughter is sixteen.",
            "A new attempt is possible after the elections in autumn.",
            "Two neighbouring states allow people to vote at sixteen.",
        ),
        (
            ("A lower voting age was turned down, seven to five.", 0),
            ("Those in favour pointed to taxes that pupils pay.", 1),
            ("Critics worried about lower turnout.", 2),
            ("Woods did not vote because of her daughter.", 3),
            ("In two nearby states sixteen-year-olds may vote.", 5),
        ),
    ),
    Passage(
        (
            "Version 4 reads configuration from one file instead of three.",
            "Old files are converted at the first start, and a backup is kept beside them.",
            "The option `--fast` was removed because it skipped checks.",
            "Memory use on large projects falls by about a third.",
            "Python 3.9 is no longer supported.",
            "The next release is planned for March.",
        ),
        (
            ("There is now a single configuration file.", 0),
            ("Backups are kept when old files are converted.", 1),
            ("`--fast` no longer exists.", 2),
            ("Large projects need roughly a third less memory.", 3),
            ("Support for Python 3.9 has ended.", 4),
        ),
    ),
    Passage(
        (
            "Researchers counted moths in 52 gardens over two summers.",
            "Gardens with white lamps had 40 percent fewer moths than dark ones.",
            "Amber lamps made hardly any difference.",
            "Hedges mattered more than flower beds.",
            "The authors recommend switching lamps off after midnight.",
            "They did not study bats, which feed on moths.",
        ),
        (
            ("Moths were counted in 52 gardens.", 0),
            ("White light went along with 40 percent fewer moths.", 1),
            ("With amber lamps there was almost no difference.", 2),
            ("Flower beds were less important than hedges.", 3),
            ("Lamps should be turned off after midnight, the authors say.", 4),
        ),
    ),
    Passage(
        (
            "The novel begins with a letter that arrives eleven years late.",
            "Its narrator, a retired postman, sets out to find the sender.",
            "Half of the chapters are told by his estranged sister.",
            "Critics praised the dialogue and called the ending hurried.",
            "The translation by Ines Paz appeared in the same week as the original.",
            "A film is in preparation.",
        ),
        (
            ("A letter comes eleven years too late.", 0),
            ("The former postman looks for whoever sent it.", 1),
            ("The sister narrates every second chapter.", 2),
            ("Reviewers liked the dialogue but found the ending rushed.", 3),
            ("Ines Paz translated the book.", 4),
        ),
    ),
)
