"""Short scripts and transcripts, one pair a line: the same words, and other words."""

SAME_WORDS = """
Please pay $1,204.50 by Friday. | please pay twelve hundred and four dollars and fifty cents by friday
Please pay $1,204.50 by Friday. | Please pay $1,204.50 by Friday
Please pay $1,204.50 by Friday. | Please pay 1204 dollars 50 by Friday
It cost £19.99. | it cost nineteen pounds ninety nine
A sum of €2.5 million was lost. | a sum of two and a half million euros was lost
A sum of €2.5 million was lost. | a sum of two point five million euros was lost
We raised ₹45,500 today. | we raised forty five thousand five hundred rupees today
Only 12.5% agreed. | only twelve and a half percent agreed
Only 0.5% agreed. | only half a percent agreed
Roughly 3/4 of people voted. | roughly three quarters of people voted
It is 2x cheaper. | it is twice cheaper
It is 10x cheaper. | it is ten times cheaper
Chapter 12 starts on page 1,045. | chapter twelve starts on page one thousand and forty five
The 42nd floor is closed. | the forty second floor is closed
The 42nd floor is closed. | the 42nd floor is closed
Born on 12 May 1987. | born on the twelfth of may nineteen eighty seven
On 03/15/2021 we left. | on march fifteenth twenty twenty one we left
On 03/15/2021 we left. | on march the fifteenth two thousand twenty one we left
Due 2023-07-09. | due july ninth two thousand twenty three
Due 2023-07-09. | due the ninth of july twenty twenty three
The year 1066 mattered. | the year ten sixty six mattered
In the 1920s, jazz ruled. | in the nineteen twenties jazz ruled
In the '60s, rock ruled. | in the sixties rock ruled
Train at 6:05 a.m. sharp. | train at six oh five a m sharp
Train at 6:05 a.m. sharp. | Train at 6:05am sharp.
Train at 18:45 today. | train at eighteen forty five today
Train at 00:15 UTC. | train at zero zero fifteen u t c
Train at 00:15 UTC. | train at double oh fifteen utc
Meet at 12:00 PM. | meet at twelve p m
Meet at 9 a.m. | meet at nine a m
Meet at 5 o'clock. | meet at five oclock
Meet at 5 o'clock. | Meet at 5:00.
Check docs.python.org/3/library for help. | check docs dot python dot org slash three slash library for help
Go to http://foo-bar.com:80/a. | go to h t t p colon slash slash foo dash bar dot com colon eighty slash a
Write to jane.doe+news@mail.example.com. | write to jane dot doe plus news at mail dot example dot com
Follow @nasa_hq now. | follow at nasa underscore h q now
Use #FridayFun today. | use hashtag friday fun today
Code X7-99B please. | code x seven dash nine nine b please
Code X7-99B please. | code x seven ninety nine b please
Serial 00-1234-77. | serial zero zero one two three four seven seven
Serial 00-1234-77. | serial double zero dash twelve thirty four dash seventy seven
Room 1208 is free. | room twelve oh eight is free
Flight AA101 is late. | flight a a one oh one is late
Flight UA-358 is late. | flight u a three fifty eight is late
Call 555-0123 now. | call five five five zero one two three now
Call 1-800-555-0199. | call one eight hundred five five five zero one nine nine
Call +44 7700 900123 now. | call plus four four seven seven zero zero nine zero zero one two three now
Dial 911 now. | dial nine one one now
It weighs 3.2 kg. | it weighs three point two kilograms
It weighs 3.2 kg. | it weighs three point two kilos
It is 5 ft tall. | it is five feet tall
Drive 65 mph. | drive sixty five miles per hour
It is -10°C outside. | it is minus ten degrees celsius outside
It is -10°C outside. | it is negative ten degrees centigrade outside
It is 72°F outside. | it is seventy two degrees fahrenheit outside
It is 72° outside. | it is seventy two degrees outside
A 5 km run in 25 min. | a five kilometer run in twenty five minutes
A 500 GB drive. | a five hundred gigabyte drive
Sgt. Pepper met Gen. Lee. | sergeant pepper met general lee
Mt. Everest is in Nepal. | mount everest is in nepal
Ms. Jones works at Acme Inc. downtown. | miss jones works at acme incorporated downtown
Apt. 5B, 22 Baker St., London. | apartment five b twenty two baker street london
Apt. 5B, 22 Baker St., London. | apartment 5B 22 Baker Street London
St. Patrick's Day is near. | saint patricks day is near
Dr. Jones lives on Mulholland Dr. now. | doctor jones lives on mulholland drive now
The FBI and the CIA agree. | the f b i and the c i a agree
The PhD student agrees. | the p h d student agrees
The UK's plan | the u k's plan
He's got a Ph.D. in math. | he has got a p h d in math
We shouldn't've gone. | we should not have gone
They'd have gone if they'd known. | they would have gone if they had known
What's that? Who's there? | what is that who is there
I'll go; you're late; we've won. | i will go you are late we have won
Ain't that nice? | aint that nice
Let's organise the programme. | let us organize the program
The neighbours' favourite flavour. | the neighbor's favorite flavor
Analyse the defence licence. | analyze the defense license
He travelled to the centre. | he traveled to the center
A cheque for the tyre. | a check for the tire
Café crème in Málaga. | cafe creme in malaga
The follow-up was last-minute. | the followup was last minute
The data base is off line. | the database is offline
N-n-no, I d-don't know. | no i don't know
N-n-no, I d-don't know. | n n no i d don't know
Hmm, well, um, okay. | well okay
Uh-oh, that's bad. | uh oh that's bad
Yesss! Sooo cool. | yes so cool
Whaaat? Nooo way! | what no way
Henry VIII had six wives. | henry the eighth had six wives
World War I ended. | world war one ended
Elizabeth II reigned. | elizabeth the second reigned
Tom & Jerry | tom and jerry
5 + 3 = 8 | five plus three equals eight
Version 10.4.1 is out. | version ten point four point one is out
Version 10.4.1 is out. | version ten dot four dot one is out
Section 4.2.1 applies. | section four point two point one applies
A score of 21-14. | a score of twenty one to fourteen
Pages 10–20 only. | pages ten to twenty only
9/11 changed things. | nine eleven changed things
Add 1½ cups. | add one and a half cups
Add 1 1/2 cups. | add one and a half cups
A 1/4 inch bolt. | a quarter inch bolt
A 1/4 inch bolt. | a one quarter inch bolt
The top 1% and bottom 99%. | the top one percent and bottom ninety nine percent
It is 1,000,000 to 1. | it is a million to one
It is 1,000,000 to 1. | it is one million to one
2,500 people | twenty five hundred people
The year 2000 was big. | the year two thousand was big
Since 2010. | since twenty ten
Since 2010. | since two thousand and ten
Mon.-Fri. only | monday to friday only
Mon–Fri only | monday to friday only
Bring 2 lbs of beef. | bring two pounds of beef
He ran 100m. | he ran one hundred meters
He ran 100m. | he ran a hundred metres
Use A4 paper. | use a four paper
The iPhone 15 Pro | the iphone fifteen pro
COVID-19 cases | covid nineteen cases
Windows 11 | windows eleven
The G7 summit | the g seven summit
A 4x4 truck | a four by four truck
The 7:30 train | the half past seven train
Open 9-5 daily. | open nine to five daily
Open 9am-5pm daily. | open nine a m to five p m daily
Tel. 020 7946 0958 | telephone oh two oh seven nine four six oh nine five eight
$5/month | five dollars per month
$5/month | five dollars a month
30 mi/hr | thirty miles per hour
The 3rd-floor office | the third floor office
Say "hello" to him. | say hello to him
He said: 'No.' | he said no
Account ending in 4471. | account ending in four four seven one
Account ending in 4471. | account ending in double four seven one
Ext 402 | extension four zero two
P.O. Box 12 | p o box twelve
A.M. or P.M.? | a m or p m
She scored 98.6. | she scored ninety eight point six
Lot 7 of 9. | lot seven of nine
Vol. 3, No. 2 | volume three number two
$0.05 | five cents
$100 | a hundred dollars
$100 | one hundred dollars
US$20 | twenty us dollars
¥1,200 | one thousand two hundred yen
£1.5bn | one point five billion pounds
£2m | two million pounds
$3k | three thousand dollars
$3.00 | three dollars
CHF 50 | fifty swiss francs
50 EUR | fifty euros
I paid 20 quid. | i paid twenty quid
The invoice totals $8,942.75 CAD today. | The invoice totals 8,942 dollars and 75 cents Canadian today
Pay Rs. 500 now. | pay five hundred rupees now
Pay AU$20 now. | pay twenty australian dollars now
Pay 20 USD now. | pay twenty us dollars now
It dropped 1.25%. | it dropped one point two five percent
Temp: 98.6°F. | temp ninety eight point six degrees fahrenheit
He is 6'2". | he is six foot two
He is 6 ft 2 in tall. | he is six foot two inches tall
At 10:00, leave. | at ten leave
At 10:00, leave. | at ten o'clock leave
At 10:00, leave. | At 10 o'clock, leave.
At 22:00 CET. | at twenty two hundred c e t
At 7 PM EST. | at seven p m e s t
At 7 PM EST. | At 7 p.m. EST
On 1 January 2000. | on the first of january two thousand
On January 1st. | on the first of january
On Jan 1st. | on january first
On 4 July. | on the fourth of july
On 4/5/2023. | on april fifth twenty twenty three
On 4/5/2023. | on the fourth of may twenty twenty three
Dec. 25 | december twenty five
By 31/12/99. | by the thirty first of december ninety nine
By 31/12/99. | by december thirty first nineteen ninety nine
The '90s | the nineties
In 1776, they | in seventeen seventy six they
In 800 AD | in eight hundred a d
In 44 BC | in forty four b c
Call 911. | call nine eleven
Flight DL 47 | flight d l forty seven
Order #12-3456-A | order number twelve thirty four fifty six a
Order #12-3456-A | order twelve dash three four five six dash a
Model X-200 | model x two hundred
Zip 90210 | zip nine oh two one oh
Zip 90210 | zip nine zero two one zero
SW1A 1AA | s w one a one a a
Use /etc/hosts now | use slash etc slash hosts now
a_b_c.txt | a underscore b underscore c dot t x t
report.pdf | report dot pdf
Bob@Work | bob at work
mike@mail.com's | mike at mail dot coms
https://t.co/aB3 | h t t p s colon slash slash t dot c o slash a b three
http://a.io | http colon slash slash a dot io
www.b.gov/x?y=1&z=2 | w w w dot b dot gov slash x question mark y equals one and z equals two
sub-4-minute mile | sub four minute mile
a 10-year-old boy | a ten year old boy
a 10-year-old boy | A 10-year-old boy
the 2nd-best | the second best
the 1st & 2nd | the first and second
50-50 chance | fifty fifty chance
3-1 win | three one win
3:1 ratio | three to one ratio
x = 5 | x equals five
5 > 3 | five is greater than three
5 < 7 | five is less than seven
6 × 7 | six times seven
10 ÷ 2 | ten divided by two
±5 | plus or minus five
100% | a hundred percent
100% | one hundred percent
50/50 | fifty fifty
1/3 | one third
1/3 | a third
5/8 | five eighths
7/10 | seven tenths
7/10 | seven out of ten
½ | half
½ | one half
2½ hours | two and a half hours
¼ cup | quarter cup
¼ cup | a quarter cup
⅔ | two thirds
5 m/s | five meters per second
5 m/s | five metres per second
9.8 m/s² | nine point eight meters per second squared
20 °C | twenty degrees celsius
3 GHz | three gigahertz
64GB | sixty four gigabytes
5G network | five g network
12V | twelve volts
100W | one hundred watts
4K video | four k video
60fps | sixty frames per second
2 tbsp | two tablespoons
1 tsp | one teaspoon
8 oz | eight ounces
16 fl oz | sixteen fluid ounces
10 lb | ten pounds
5 yrs | five years
Ph.D. | p h d
M.D. | m d
B.A. | b a
U.S.A. | u s a
USA | u s a
U.N. | u n
D.C. | d c
J.K. Rowling | j k rowling
J. K. Rowling | j k rowling
J.R.R. Tolkien | j r r tolkien
Smith & Co. | smith and company
Smith & Co. | smith and co
Inc. | incorporated
Ltd. | limited
Rev. King | reverend king
Hon. Judge | honorable judge
Lt. Dan | lieutenant dan
Gov. Brown | governor brown
Sen. Paul | senator paul
Blvd. | boulevard
5th Ave. | fifth avenue
Rd. | road
etc. | et cetera
i.e. | that is
a.k.a. | also known as
e.g., | for example
w/o | without
w/ | with
vs | versus
OK | okay
O.K. | okay
TV | t v
DIY | d i y
HTML5 | h t m l five
MP3 | m p three
H2O | h two o
CO2 | c o two
B2B | b two b
R2-D2 | r two d two
4x4 | four by four
7-Eleven | seven eleven
F-16 | f sixteen
WWII | world war two
WWII | w w two
Part III | part three
Act I, Scene II | act one scene two
Pope John Paul II | pope john paul the second
XXI century | twenty first century
it's 5'11 | it is five eleven
you'd've | you would have
I'd rather | i had rather
they're | they are
won't | will not
shan't | shall not
mustn't | must not
who'd | who would
there's | there is
y'all | you all
gonna | going to
'cause | because
rock 'n' roll | rock n roll
rock 'n' roll | rock and roll
o'clock | oclock
ma'am | maam
recognise | recognize
organisation | organization
labelled | labeled
jewellery | jewelry
storeys | stories
moustache | mustache
pyjamas | pajamas
cosy | cozy
sceptical | skeptical
tyre | tire
kerb | curb
fibre | fiber
metres | meters
behaviour | behavior
neighbourhood | neighborhood
paediatric | pediatric
encyclopaedia | encyclopedia
manoeuvre | maneuver
aluminium | aluminum
enrolment | enrollment
fulfil | fulfill
catalogue | catalog
dialogue | dialog
analogue | analog
whisky | whiskey
Zoë | zoe
façade | facade
résumé | resume
Beyoncé | beyonce
naïve | naive
über | uber
smörgåsbord | smorgasbord
Øresund | oresund
straße | strasse
co-operate | cooperate
long-term | longterm
ice cream | icecream
after-noon | afternoon
ninety-nine | 99
one hundred and one | 101
two thousand and five | 2005
first | 1st
twenty-first | 21st
half past three | 3:30
five dollars | $5
ten percent | 10%
three quarters | 3/4
nineteen eighty-four | 1984
May fifth | May 5th
five p.m. | 5 PM
five o'clock | 5:00
one and a half | 1.5
one and a half | 1 1/2
double oh seven | 007
January the second | January 2nd
twelve hundred | 1200
twelve hundred | 1,200
a million | 1,000,000
a million | 1 million
six foot two | 6'2"
five hundred thousand | 500,000
minus five degrees | -5 degrees
number one | #1
number one | No. 1
twenty twenty-four | 2024
oh four thirty | 0430
zero point five | 0.5
Wait... what?! No--stop. | wait what no stop
"Quote," (aside) [note] — end | quote aside note end
S-s-so c-cold | so cold
Ahhh! Ohhh. | ah oh
Ugh, fine. | fine
Ha ha ha, funny. | ha ha funny
Hahaha, funny. | haha funny
Mmm-hmm, sure. | sure
Noooooo! | no
Pleeease | please
Heyyy | hey
I, uh, think, er, so | i think so
I think so | I, uh, think so, um.
"""

OTHER_WORDS = """
Please pay $1,204.50 by Friday. | please pay twelve hundred and fourteen dollars and fifty cents by friday
Please pay $1,204.50 by Friday. | please pay twelve hundred and four pounds and fifty cents by friday
It cost £19.99. | it cost nineteen pounds eighty nine
It cost £19.99. | it cost ninety pounds ninety nine
Only 12.5% agreed. | only twelve point five agreed
Only 12.5% agreed. | only one hundred twenty five percent agreed
Born on 12 May 1987. | born on the twelfth of may nineteen seventy eight
Born on 12 May 1987. | born on the twentieth of may nineteen eighty seven
Train at 6:05 a.m. sharp. | train at six fifteen a m sharp
Train at 6:05 a.m. sharp. | train at six five a m sharp
Train at 18:45 today. | train at eight forty five today
Check docs.python.org/3/library for help. | check docs dot python dot com slash three slash library for help
Call 555-0123 now. | call five five five zero one three two now
Call 555-0123 now. | call five five five one two three now
It weighs 3.2 kg. | it weighs three point two pounds
It weighs 3.2 kg. | it weighs thirty two kilograms
It is -10°C outside. | it is ten degrees celsius outside
Henry VIII had six wives. | henry the seventh had six wives
I can't go. | i can go
I cannot go. | i can go
You should never go. | you should go
You shouldn't go. | you should go
It isn't fair. | it is fair
He doesn't know. | he does know
We won't stop. | we will stop
Do not touch it. | do touch it
A million dollars. | one thousand thousand dollars
$2,000,000 | two thousand thousand dollars
1,000,000 people | a thousand thousand people
1,000 people | one hundred people
$1.5M | one point five billion dollars
Room 314B | room three fourteen d
Room 314B | room three forty b
The 42nd floor | the forty third floor
Since 2010. | since twenty eleven
Since 2010. | since twenty one
10:00 AM | ten
10:00 AM | ten thirty a m
7.5 | seventy five
3.14 | three point fourteen
I left. | i left i left
Go now. | go now thank you for watching
Go now, please. | go now
The cat sat. | the cats sat
He walks. | he walked
It was a big house. | it was the big house
In March 2020 | in may twenty twenty
Pages 10–20 only. | pages ten twenty one only
5 + 3 = 8 | five plus three equals nine
Add 1/2 cup. | add one and a half cup
Add 1/4 cup. | add half a cup
$50 | fifty
50% | fifty
a@b.com | a at b dot org
20°C | twenty degrees fahrenheit
60 mph | sixty kilometers per hour
v2.3.1 | version two point three point two
Mrs. Hale | mister hale
1905 | nineteen fifteen
1905 | nineteen fifty
12:15 | quarter to twelve
304 | three four
304 | thirty four
1,204 | one thousand twenty four
$43,991 | forty three dollars nine hundred ninety one
24/7 | twenty four
007 | seven
100 | ten
16 | sixty
"No," she said. | she said
Yes, I did. | i did
I will never give up. | i will give up
"""
