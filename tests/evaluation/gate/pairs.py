"""Scripts with transcripts that say the same words, and transcripts that do not."""

PAIRS: tuple[tuple[str, str, tuple[str, ...], tuple[str, ...]], ...] = (
    # kind, script, same words, other words
    (
        "currency",
        "Send £3 to the club.",
        ("send three pounds to the club", "Send 3 pounds to the club.", "Send £3 to the club"),
        ("send three dollars to the club", "send thirty pounds to the club", "send three to the club"),
    ),
    (
        "currency",
        "It costs €0.99 a day.",
        (
            "it costs ninety nine cents a day",
            "it costs zero euros and ninety nine cents a day",
            "It costs 99 cents a day.",
            "it costs zero point nine nine euros a day",
        ),
        ("it costs ninety nine pence a day", "it costs nine euros ninety a day", "it costs nine cents a day"),
    ),
    (
        "currency",
        "A bowl is ¥500 there.",
        ("a bowl is five hundred yen there", "A bowl is 500 yen there."),
        ("a bowl is five hundred dollars there", "a bowl is five thousand yen there"),
    ),
    (
        "currency",
        "They raised $1.5B in May.",
        (
            "they raised one point five billion dollars in may",
            "They raised $1.5 billion in May.",
            "they raised one and a half billion dollars in may",
        ),
        ("they raised one point five million dollars in may", "they raised five billion dollars in may"),
    ),
    (
        "currency",
        "The rent is $1,204.05 a month.",
        (
            "the rent is one thousand two hundred and four dollars and five cents a month",
            "the rent is twelve hundred four dollars and five cents a month",
            "The rent is $1204.05 a month.",
            "The rent is 1,204 dollars and 5 cents a month.",
            "the rent is one thousand two hundred four point zero five dollars a month",
        ),
        (
            "the rent is one thousand two hundred and four dollars and fifty cents a month",
            "the rent is one thousand two hundred and forty dollars and five cents a month",
            "the rent is one thousand two hundred and four pounds and five pence a month",
        ),
    ),
    (
        "currency",
        "Pay INR 1,250 or USD 15 now.",
        (
            "pay twelve hundred fifty rupees or fifteen dollars now",
            "pay one thousand two hundred and fifty indian rupees or fifteen u s dollars now",
            "pay i n r one thousand two hundred fifty or u s d fifteen now",
        ),
        ("pay one thousand two hundred and fifty dollars or fifteen rupees now",),
    ),
    (
        "currency",
        "He owes ₹6,75,432 at last.",
        (
            "he owes six lakh seventy five thousand four hundred and thirty two rupees at last",
            "he owes six hundred seventy five thousand four hundred thirty two rupees at last",
        ),
        ("he owes six crore seventy five thousand four hundred and thirty two rupees at last",),
    ),
    (
        "currency",
        "A ticket is 75p or 50¢.",
        ("a ticket is seventy five pence or fifty cents", "a ticket is seventy five p or fifty cents"),
        ("a ticket is seventy five cents or fifty pence",),
    ),
    (
        "currency",
        "The $1,000,000 prize is mine.",
        ("the one million dollar prize is mine", "the million dollar prize is mine", "the $1 million prize is mine"),
        ("the one thousand thousand dollar prize is mine", "the one billion dollar prize is mine"),
    ),
    (
        "currency",
        "It is $5–$10 a head.",
        ("it is five dollars to ten dollars a head",),
        ("it is five dollars to eleven dollars a head",),
    ),
    (
        "number",
        "We sold 1,234 of 56,000.",
        (
            "we sold one thousand two hundred thirty four of fifty six thousand",
            "we sold twelve hundred and thirty four of fifty six thousand",
            "We sold 1234 of 56000.",
        ),
        ("we sold one thousand two hundred forty three of fifty six thousand", "we sold 1,324 of 56,000"),
    ),
    (
        "number",
        "Take bus 42 to block 108.",
        ("take bus forty two to block one oh eight", "take bus forty two to block one hundred and eight"),
        ("take bus forty to block one oh eight", "take bus forty two to block eighteen"),
    ),
    (
        "number",
        "It is -5 outside, +3 inside.",
        ("it is minus five outside plus three inside", "it is negative five outside plus three inside"),
        ("it is five outside plus three inside", "it is minus five outside minus three inside"),
    ),
    (
        "number",
        "About 0.75 or .5 will do.",
        ("about zero point seven five or point five will do", "about point seven five or zero point five will do"),
        ("about seven point five or point five will do", "about zero point five seven or point five will do"),
    ),
    (
        "number",
        "The 100 guests saw 1000 lamps.",
        ("the hundred guests saw a thousand lamps", "the one hundred guests saw one thousand lamps"),
        ("the thousand guests saw a hundred lamps",),
    ),
    (
        "number",
        "Three thousand four hundred and seven votes.",
        ("3,407 votes", "three thousand four hundred seven votes", "3407 votes."),
        ("3,470 votes", "three thousand four hundred and seventy votes"),
    ),
    (
        "percent",
        "Growth of 10%-15% is normal.",
        (
            "growth of ten percent to fifteen percent is normal",
            "growth of ten to fifteen percent is normal",
            "Growth of 10 to 15% is normal.",
        ),
        ("growth of ten to fifty percent is normal", "growth of ten to fifteen is normal"),
    ),
    (
        "percent",
        "Up 3.6% since May.",
        ("up three point six percent since may", "up three point six per cent since may"),
        ("up thirty six percent since may", "up three point six since may"),
    ),
    (
        "fraction",
        "Fill ¾ of the jar, then ½ more.",
        ("fill three quarters of the jar then half more", "fill three fourths of the jar then one half more"),
        ("fill two thirds of the jar then half more", "fill three quarters of the jar then a third more"),
    ),
    (
        "fraction",
        "Use 2 1/2 cups and 2/3 spoon.",
        ("use two and a half cups and two thirds spoon", "use two and one half cups and two thirds spoon"),
        ("use two cups and two thirds spoon", "use two and a half cups and three halves spoon"),
    ),
    (
        "fraction",
        "We are open 24/7 here.",
        ("we are open twenty four seven here", "We are open 24 7 here."),
        ("we are open twenty seven four here", "we are open twenty seven here"),
    ),
    (
        "ordinal",
        "The 1,234th guest came 2nd.",
        ("the one thousand two hundred and thirty fourth guest came second", "The 1,234th guest came second."),
        ("the one thousand two hundred and thirty fourth guest came third", "the 1,243rd guest came second"),
    ),
    (
        "ordinal",
        "On the 1st floor of the 90th house.",
        ("on the first floor of the ninetieth house",),
        ("on the first floor of the nineteenth house", "on the one floor of the ninetieth house"),
    ),
    (
        "year",
        "In the 1990s and the '80s we danced.",
        ("in the nineteen nineties and the eighties we danced", "In the 1990s and the 80s we danced."),
        ("in the nineteen eighties and the nineties we danced", "in the nineteen ninety and the eighties we danced"),
    ),
    (
        "year",
        "From 1905 to 2005 nothing moved.",
        (
            "from nineteen oh five to two thousand five nothing moved",
            "from nineteen hundred and five to two thousand and five nothing moved",
            "from nineteen oh five to twenty oh five nothing moved",
        ),
        (
            "from nineteen fifty to two thousand five nothing moved",
            "from nineteen five to two thousand five nothing moved",
        ),
    ),
    (
        "year",
        "The 1800s ended in 1900.",
        ("the eighteen hundreds ended in nineteen hundred",),
        ("the eighteen hundreds ended in eighteen hundred",),
    ),
    (
        "date",
        "Due Nov. 5, 2021, at noon.",
        (
            "due november fifth twenty twenty one at noon",
            "due the fifth of november two thousand and twenty one at noon",
            "due november five twenty twenty one at noon",
            "Due November 5th, 2021 at noon.",
        ),
        (
            "due december fifth twenty twenty one at noon",
            "due november sixth twenty twenty one at noon",
            "due november fifth twenty twelve at noon",
            "due november fifth at noon",
        ),
    ),
    (
        "date",
        "Born on 7 March 1985.",
        (
            "born on march seventh nineteen eighty five",
            "born on the seventh of march nineteen eighty five",
            "Born on 7th March, 1985",
        ),
        ("born on the seventh of may nineteen eighty five", "born on march seventeenth nineteen eighty five"),
    ),
    (
        "date",
        "Filed on 12/25/1999.",
        (
            "filed on december twenty fifth nineteen ninety nine",
            "filed on the twenty fifth of december nineteen ninety nine",
            "filed on twelve twenty five nineteen ninety nine",
            "Filed on 25/12/1999.",
        ),
        ("filed on november twenty fifth nineteen ninety nine", "filed on december twenty fifth nineteen ninety eight"),
    ),
    (
        "date",
        "Signed 2023-11-30 in Rome.",
        (
            "signed november thirtieth twenty twenty three in rome",
            "signed the thirtieth of november twenty twenty three in rome",
            "signed twenty twenty three dash eleven dash thirty in rome",
        ),
        ("signed november thirteenth twenty twenty three in rome", "signed november third twenty twenty three in rome"),
    ),
    (
        "date",
        "See you Thursday the 12th.",
        ("see you thursday the twelfth", "See you Thursday the 12th"),
        ("see you tuesday the twelfth", "see you thursday the twentieth"),
    ),
    (
        "time",
        "Lunch is at 12:30 p.m. today.",
        ("lunch is at twelve thirty p m today", "lunch is at half past twelve pm today", "Lunch is at 12.30 PM today"),
        ("lunch is at twelve thirteen p m today", "lunch is at twelve thirty a m today"),
    ),
    (
        "time",
        "The bus leaves at 08:05 sharp.",
        (
            "the bus leaves at eight oh five sharp",
            "the bus leaves at five past eight sharp",
            "the bus leaves at oh eight oh five sharp",
        ),
        ("the bus leaves at eight fifty sharp", "the bus leaves at five oh eight sharp"),
    ),
    (
        "time",
        "Tea at 4:45 and bed at 9pm.",
        ("tea at four forty five and bed at nine p m", "tea at quarter to five and bed at nine pm"),
        ("tea at quarter past five and bed at nine p m", "tea at four forty five and bed at nine a m"),
    ),
    (
        "time",
        "Be there by 0600 hours.",
        ("be there by zero six hundred hours", "be there by oh six hundred hours", "Be there by 0600 hours"),
        ("be there by zero seven hundred hours", "be there by sixteen hundred hours"),
    ),
    (
        "time",
        "Closed until 17:00 GMT.",
        ("closed until seventeen hundred g m t", "closed until five p m gmt", "Closed until 17:00 GMT."),
        ("closed until seven p m g m t", "closed until seventeen hundred e s t"),
    ),
    (
        "url",
        "Open https://shop.test-kiln.com/a_b?id=7 please.",
        (
            "open https colon slash slash shop dot test dash kiln dot com slash a underscore "
            "b question mark id equals seven please",
            "open h t t p s colon double slash shop dot test hyphen kiln dot com forward "
            "slash a underscore b question mark i d equals seven please",
            "Open https://shop.test-kiln.com/a_b?id=7 please.",
        ),
        (
            "open https colon slash slash shop dot test dash kiln dot net slash a underscore "
            "b question mark id equals seven please",
            "open https colon slash slash shop dot test dash kiln dot com slash a b question "
            "mark id equals seven please",
        ),
    ),
    (
        "url",
        "It is on example.org today.",
        ("it is on example dot org today", "It is on example.org today."),
        ("it is on example dot com today", "it is on example today"),
    ),
    (
        "url",
        "See www.north-lane.co.uk/v2/list, please.",
        (
            "see w w w dot north dash lane dot co dot uk slash v two slash list please",
            "see triple w dot north lane dot c o dot u k slash v two slash list please",
        ),
        (
            "see w w w dot north dash lane dot co dot in slash v two slash list please",
            "see w w w dot north dash lane dot co dot uk slash v three slash list please",
        ),
    ),
    (
        "email",
        "Mail jo.b_99@post-box.net tonight.",
        (
            "mail jo dot b underscore ninety nine at post dash box dot net tonight",
            "mail jo dot b underscore nine nine at post box dot net tonight",
            "Mail jo.b_99 at post-box.net tonight.",
        ),
        (
            "mail jo dot b underscore ninety nine at post dash box dot com tonight",
            "mail jo dot b underscore ninety eight at post dash box dot net tonight",
        ),
    ),
    (
        "hashtag",
        "Post it with #winning and @kilnclub.",
        ("post it with hashtag winning and at kiln club", "Post it with #winning and @kilnclub."),
        ("post it with hashtag losing and at kiln club", "post it with winning and kiln club"),
    ),
    (
        "hashtag",
        "#SpringSale starts now.",
        ("hashtag spring sale starts now", "hash tag springsale starts now"),
        ("hashtag winter sale starts now",),
    ),
    (
        "code",
        "Type 7-K-2-Q into slot B12.",
        (
            "type seven k two q into slot b twelve",
            "Type 7K2Q into slot B-12.",
            "type seven dash k dash two dash q into slot b one two",
        ),
        (
            "type seven k three q into slot b twelve",
            "type seven k two q into slot d twelve",
            "type seven k two into slot b twelve",
        ),
    ),
    (
        "code",
        "Flight BA 2490 boards at gate 17.",
        (
            "flight b a twenty four ninety boards at gate seventeen",
            "flight ba two four nine zero boards at gate seventeen",
            "Flight BA2490 boards at gate 17",
        ),
        (
            "flight b a twenty nine forty boards at gate seventeen",
            "flight b a twenty four ninety boards at gate seventy",
        ),
    ),
    (
        "code",
        "Case #5077-C is closed.",
        (
            "case number fifty seventy seven c is closed",
            "case five zero double seven c is closed",
            "Case #5077C is closed.",
        ),
        ("case number fifty seventy c is closed", "case number fifty seventy seven d is closed"),
    ),
    (
        "code",
        "The PIN is 0046.",
        ("the pin is zero zero four six", "the pin is double oh four six", "the pin is oh oh forty six"),
        ("the pin is zero four six", "the pin is zero zero six four"),
    ),
    (
        "code",
        "Read clause 8(b)(iv) again.",
        ("read clause eight b four again", "read clause eight b i v again", "Read clause 8B4 again."),
        ("read clause eight b five again", "read clause eight d four again"),
    ),
    (
        "code",
        "Ping 10.0.12.7 once.",
        (
            "ping ten dot zero dot twelve dot seven once",
            "ping one zero dot zero dot one two dot seven once",
            "ping ten point zero point twelve point seven once",
        ),
        ("ping ten dot zero dot twelve dot eleven once", "ping ten dot twelve dot seven once"),
    ),
    (
        "version",
        "Install v2.3.1 or version 4.0.",
        (
            "install version two point three point one or version four point zero",
            "install v two dot three dot one or version four point oh",
        ),
        (
            "install version two point three or version four point zero",
            "install version two point one point three or version four point zero",
        ),
    ),
    (
        "phone",
        "Ring 020 7946 0018 ext. 31.",
        (
            "ring oh two oh seven nine four six double oh one eight extension thirty one",
            "ring zero two zero seven nine four six zero zero one eight extension three one",
        ),
        (
            "ring zero two zero seven nine four six zero zero one nine extension thirty one",
            "ring zero two zero seven nine four six zero zero one eight",
        ),
    ),
    (
        "phone",
        "Dial (555) 010-4477 or +44 20 7946 0001.",
        (
            "dial five five five zero one zero four four seven seven or plus four four two "
            "zero seven nine four six zero zero zero one",
            "dial triple five oh one oh double four double seven or plus forty four twenty "
            "seventy nine forty six triple oh one",
        ),
        (
            "dial five five five zero one zero four four seven eight or plus four four two "
            "zero seven nine four six zero zero zero one",
        ),
    ),
    (
        "range",
        "Ages 10-15, pages 3–5, score 3-2.",
        (
            "ages ten to fifteen pages three to five score three two",
            "ages ten through fifteen pages three through five score three to two",
        ),
        (
            "ages ten to fifteen pages three to five score two three",
            "ages ten to fifty pages three to five score three two",
        ),
    ),
    (
        "unit",
        "At 60 km/h for 5 km with 2.5 kg.",
        (
            "at sixty kilometers per hour for five kilometres with two point five kilograms",
            "At 60 km/h for 5 km with 2.5 kg.",
        ),
        (
            "at sixty miles per hour for five kilometers with two point five kilograms",
            "at sixteen kilometers per hour for five kilometers with two point five kilograms",
        ),
    ),
    (
        "unit",
        "She is 5'11\" and runs 12 MPH.",
        (
            "she is five foot eleven and runs twelve miles per hour",
            "she is five feet eleven inches and runs twelve m p h",
            "she is five eleven and runs twelve miles an hour",
        ),
        (
            "she is five foot ten and runs twelve miles per hour",
            "she is five foot eleven and runs twenty miles per hour",
        ),
    ),
    (
        "unit",
        "Water boils at 212°F, or 100 °C.",
        (
            "water boils at two hundred and twelve degrees fahrenheit or one hundred degrees celsius",
            "water boils at two hundred twelve degrees f or a hundred degrees centigrade",
        ),
        ("water boils at two hundred and twelve degrees celsius or one hundred degrees fahrenheit",),
    ),
    (
        "unit",
        "A 30 m² room and a 250ml glass.",
        (
            "a thirty square meter room and a two hundred and fifty milliliter glass",
            "a thirty square metre room and a two hundred fifty millilitre glass",
        ),
        (
            "a thirty cubic meter room and a two hundred and fifty milliliter glass",
            "a thirteen square meter room and a two hundred and fifty milliliter glass",
        ),
    ),
    (
        "unit",
        "Hold 33.5° S for 24.5 megabytes.",
        ("hold thirty three point five degrees south for twenty four point five megabytes",),
        ("hold thirty three point five degrees north for twenty four point five megabytes",),
    ),
    (
        "abbreviation",
        "Ask Prof. Lee and Mr. Ray Jr. on Oak Ave.",
        (
            "ask professor lee and mister ray junior on oak avenue",
            "Ask Professor Lee and Mr. Ray Junior on Oak Avenue.",
        ),
        (
            "ask doctor lee and mister ray junior on oak avenue",
            "ask professor lee and missus ray junior on oak avenue",
            "ask professor lee and mister ray senior on oak avenue",
        ),
    ),
    (
        "abbreviation",
        "See No. 5, e.g. the blue one, etc.",
        ("see number five for example the blue one et cetera", "see number five e g the blue one etcetera"),
        ("see number nine for example the blue one et cetera", "see five for example the blue one et cetera"),
    ),
    (
        "abbreviation",
        "Red vs. blue, i.e. approx. even.",
        ("red versus blue that is approximately even", "red versus blue i e approximately even"),
        ("red and blue that is approximately even",),
    ),
    (
        "abbreviation",
        "Turn onto Elm St. near St. Mary.",
        ("turn onto elm street near saint mary", "Turn onto Elm Street near St. Mary."),
        ("turn onto elm saint near street mary", "turn onto elm road near saint mary"),
    ),
    (
        "initialism",
        "The BBC and NASA met in the U.S. today.",
        (
            "the b b c and nasa met in the u s today",
            "The BBC and NASA met in the US today.",
            "the bbc and n a s a met in the united states today",
        ),
        ("the b b d and nasa met in the u s today", "the b b c and nasa met in the u k today"),
    ),
    (
        "initialism",
        "Two CEOs of the R&D unit.",
        ("two c e o s of the r and d unit", "Two CEOs of the R&D unit."),
        ("two c f o s of the r and d unit", "two c e o s of the r and b unit"),
    ),
    (
        "roman",
        "Louis XIV and World War II, chapter IV.",
        ("louis the fourteenth and world war two chapter four", "Louis XIV and World War 2, Chapter 4."),
        (
            "louis the fifteenth and world war two chapter four",
            "louis the fourteenth and world war one chapter four",
            "louis the fourteenth and world war two chapter six",
        ),
    ),
    (
        "symbol",
        "Salt & pepper @ ~3 cups + 1 = enough.",
        (
            "salt and pepper at about three cups plus one equals enough",
            "salt and pepper at approximately three cups plus one is enough",
        ),
        (
            "salt or pepper at about three cups plus one equals enough",
            "salt and pepper at about four cups plus one equals enough",
        ),
    ),
    (
        "symbol",
        "Tea and/or milk w/o sugar.",
        ("tea and or milk without sugar", "tea and slash or milk without sugar"),
        ("tea or milk without sugar", "tea and or milk with sugar"),
    ),
    (
        "contraction",
        "I'm sure they've said we'll win; it's ours.",
        ("i am sure they have said we will win it is ours", "i'm sure they've said we'll win its ours"),
        ("i am sure they have said we will win it is not ours", "i am sure they had said we will win it is ours"),
    ),
    (
        "contraction",
        "I am going to say that you cannot stay.",
        ("i'm gonna say that you can't stay", "i am going to say that you can not stay"),
        ("i'm gonna say that you can stay",),
    ),
    (
        "negation",
        "He never said it wasn't true.",
        ("he never said it was not true", "He never said it wasn’t true"),
        ("he said it wasn't true", "he never said it was true", "he never said it isn't true"),
    ),
    (
        "negation",
        "She won't sell; don't ask.",
        ("she will not sell do not ask", "she wont sell dont ask"),
        ("she will sell don't ask", "she won't sell do ask"),
    ),
    (
        "spelling",
        "We realised the neighbour's jewellery catalogue was travelling.",
        (
            "we realized the neighbor's jewelry catalog was traveling",
            "we realized the neighbors jewelry catalog was traveling",
        ),
        ("we realized the neighbor's jewelry was traveling",),
    ),
    (
        "spelling",
        "The center has a gray plow and an honorable labor program.",
        ("the centre has a grey plough and an honourable labour programme",),
        ("the centre has a great plough and an honourable labour programme",),
    ),
    (
        "accent",
        "A naïve piñata fan in São Paulo ate crème brûlée.",
        ("a naive pinata fan in sao paulo ate creme brulee",),
        ("a naive pinata fan in sao paulo ate cream brulee",),
    ),
    (
        "compound",
        "The well-known ice-cream shop re-opened for on-line day care.",
        (
            "the well known ice cream shop reopened for online daycare",
            "the wellknown icecream shop re opened for on line day-care",
        ),
        ("the well known ice shop reopened for online daycare",),
    ),
    (
        "disfluency",
        "I-I-I can't, um, b-b-believe it. Sooo good! Hmm.",
        ("i can't believe it so good", "i i i can't um b b believe it so good hmm", "i i cannot believe it soo good"),
        ("i can believe it so good", "i can't believe it good"),
    ),
    (
        "disfluency",
        "Nooo, wh-what was that? Shh!",
        ("no what was that", "noo what was that shh", "no wh what was that"),
        ("what was that shh", "no what is that"),
    ),
    (
        "plain",
        "Bring the tall ladder to the back gate.",
        ("bring the tall ladder to the back gate", "Bring the tall ladder, to the back gate!"),
        (
            "bring the tall ladder",
            "bring the tall ladder to the back gate bring the tall ladder to the back gate",
            "bring the tall ladder to the back gate thank you for watching",
            "bring the small ladder to the back gate",
            "",
        ),
    ),
)
