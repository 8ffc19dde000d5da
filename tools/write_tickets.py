"""Write `examples/tickets.csv`, the made-up support tickets of the tutorial.

    python tools/write_tickets.py

A shop sells a reading device and an app for it. Every ticket says one thing about its subcategory, and beside it what
people say in any ticket, so that words overlap as they do in real ones. Two tickets are filed in the wrong place, as in
real exports, and one was sent twice: `check` and the report find them.
"""

import csv
import io
from itertools import zip_longest
from pathlib import Path
from random import Random

FILE = Path(__file__).parent.parent / "examples" / "tickets.csv"

PROBLEMS = {
    "billing/refund": [
        ("Money back", "I sent the reader back {when} and the refund has not reached my card"),
        ("Refund?", "You promised a refund for order {number}, but I still see the full amount on my statement"),
        ("Return", "The cover does not fit, so I returned it and would like my money back"),
        ("Refund too small", "I was refunded only part of what I paid for order {number}"),
        ("Cancelled order", "I cancelled order {number} within an hour and was charged anyway, please refund me"),
        ("Reimbursement", "How long does a refund take after the parcel is back with you?"),
        ("Want to return", "I changed my mind and want to return the reader and be reimbursed"),
        ("Where is my money", "It has been three weeks since you confirmed the return and nothing has been credited"),
        ("Price drop", "The reader became cheaper a day after I bought it, can I have the difference back?"),
        ("Subscription ended", "I ended the subscription {when}, please pay back the rest of the year"),
        ("Returned twice", "I returned two covers and was reimbursed for one"),
        ("Gift returned", "My aunt returned my present, and the amount should go to my account, not to hers"),
        ("Credit note", "You sent a credit note, but I would rather have the money on my card"),
        ("Label for return", "Where do I find the label to send the reader back?"),
        ("Not satisfied", "The display is too dim for me and I want to give the reader back"),
    ],
    "billing/invoice": [
        ("Invoice please", "My accountant needs an invoice with the VAT number for order {number}"),
        ("Wrong name on invoice", "The invoice shows my private name instead of the company"),
        ("No invoice", "I never got the invoice for the subscription that I bought {when}"),
        ("Receipt", "Could you send the receipt for order {number} again as a PDF?"),
        ("VAT", "The invoice states the wrong VAT rate for our country"),
        ("Invoice copy", "Please send copies of all invoices of last year for our tax return"),
        ("For my employer", "My employer pays for the reader only with a proper bill in the company's name"),
        ("Billing details", "Our tax number has to be on the document, how do I add it?"),
        ("Bill unreadable", "The attached PDF of the bill for order {number} cannot be opened"),
        ("Statement", "I need one bill for all ten readers of our school and not ten of them"),
        ("Date", "The invoice is dated in the wrong year, please correct it"),
        ("Currency", "Can the invoice be in euros instead of pounds?"),
        ("Old invoices", "The page with my invoices shows those of this year alone"),
        ("Proof of purchase", "For the guarantee I need a proof of purchase of order {number}"),
    ],
    "billing/payment": [
        ("Card declined", "My credit card is declined at the checkout although the bank says that it is fine"),
        ("Charged twice", "I was charged twice for the same subscription {when}"),
        ("Change card", "How can I pay by another card, as the old one has expired?"),
        ("Payment failed", "The payment page ends with an error after I confirm with my bank"),
        ("Direct debit", "Is it possible to pay the subscription by direct debit?"),
        ("Voucher", "The voucher code is refused when I pay for order {number}"),
        ("Amount too high", "My bank shows a higher amount than the price in the basket"),
        ("Two charges", "There are two charges on my card for a single order"),
        ("Paid but open", "I have transferred the amount {when} and the order is still shown as not paid"),
        ("Price", "Why has the monthly price gone up without a word?"),
        ("Instalments", "May I pay for the reader in three instalments?"),
        ("Checkout", "At the checkout the button to pay stays grey"),
        ("Gift card", "I have a gift card with some money left, how do I use it?"),
        ("Reminder", "I received a reminder although I paid order {number} long ago"),
    ],
    "account/login": [
        ("Cannot log in", "I cannot log in since {when}, the page says that the password is wrong"),
        ("Password", "The mail to reset my password never arrives, not even in the spam folder"),
        ("Locked out", "My account is locked after three attempts to sign in"),
        ("Log in on device", "The reader asks me to log in again and again, and my password works on the website"),
        ("Forgot password", "I forgot my password and no longer have the old e-mail address"),
        ("Login code", "The code to sign in expires before it arrives on my phone"),
        ("Sign in", "Signing in with my usual e-mail gives an unknown user error"),
        ("Access", "I have no access to my account any more"),
        ("Captcha", "The picture puzzle before the login never accepts my answer"),
        ("Reset", "The link to set a new password says that it is no longer valid"),
        ("Phone number", "I have a new phone number, so the codes go to the old one"),
        ("Wrong user", "I am told that there is no user with my address"),
        ("Logged out", "I am logged out after every single page"),
        ("Family", "My daughter cannot sign in on her tablet with our family account"),
    ],
    "account/security": [
        ("Strange login", "I got a mail about a login from another country, and it was not me"),
        ("Hacked?", "Somebody has changed the e-mail address of my account, I think it was hacked"),
        ("Two-factor", "I would like to switch on two-factor authentication but find no such setting"),
        ("Phishing", "Is this mail that asks for my password from you, or is it phishing?"),
        ("Unknown device", "There is an unknown device in my account, please remove it"),
        (
            "Purchases that are not mine",
            "There are books in my account that I have never bought, somebody else uses it",
        ),
        ("Lost phone", "I lost my phone, please block its access to my account"),
        ("Stolen reader", "My reader was stolen, can you lock it?"),
        ("Leak", "I read about a data leak, are my passwords affected?"),
        ("Warning", "Your system warned me of a suspicious attempt {when}, what should I do?"),
        ("Log out everywhere", "How do I log out on all devices at once?"),
        ("Suspicious mail", "A mail in your name wants me to confirm my card, with a strange link"),
        ("Authenticator", "I have a new phone and the authenticator app no longer gives the right code"),
    ],
    "account/profile": [
        ("New address", "Please change the e-mail address of my account, the old one will be switched off"),
        ("Delete account", "I would like to delete my account and all personal data"),
        ("Name change", "I got married and would like to change my name in the profile"),
        ("Two accounts", "I have two accounts by mistake, can you merge them into one?"),
        ("Newsletter", "I keep getting the newsletter although I unsubscribed {when}"),
        ("My data", "Please send me a copy of the personal data that my profile holds"),
        ("Birthday", "My date of birth is wrong in the settings and the field cannot be edited"),
        ("Close account", "Please close the account of my late father"),
        ("Remove me", "Take my address off your mailing list, please"),
        ("Typing error", "My surname is misspelt in all your letters"),
        ("Children", "How do I add a profile for my child?"),
        ("Private data", "What do you store about me and for how long?"),
        ("Picture", "I cannot upload a picture to my profile"),
        ("Company account", "Can my private account become one for our library?"),
    ],
    "delivery/late": [
        ("Where is my parcel", "Order {number} should have been delivered {when} and has not arrived"),
        ("Tracking", "The tracking number has not moved for six days"),
        ("Still waiting", "I am still waiting for my reader, the delivery date has passed twice"),
        ("Not delivered", "The courier says that the parcel was delivered, but nothing has arrived"),
        ("How long", "When will order {number} be shipped at last?"),
        ("Late", "My parcel is late, and it is a birthday present"),
        ("Lost parcel", "I believe that the courier has lost my parcel"),
        ("Two weeks", "Two weeks have gone by and my order is still being prepared"),
        ("No news", "I have had no news of order {number} since the confirmation"),
        ("Courier", "The courier did not come on the agreed day, and I stayed at home for nothing"),
        ("Express", "I paid for express delivery and it takes longer than the usual one"),
        ("Back order", "The cover was in stock when I ordered it, and now it is not being sent"),
        ("Sent back", "The tracking page says that the parcel goes back to you, why?"),
        ("Customs", "My parcel has been at the customs since {when}"),
    ],
    "delivery/damaged": [
        ("Broken screen", "The reader arrived with a cracked screen"),
        ("Damaged parcel", "The parcel was crushed and the box was open when the courier handed it over"),
        ("Scratches", "There are deep scratches on the back of the reader I unpacked {when}"),
        ("Wet box", "The box was wet and the cover inside is stained"),
        ("Part missing", "The charger is missing from the box of order {number}"),
        ("Wrong item", "I ordered a blue cover and a red one was in the parcel"),
        ("Dead on arrival", "The new reader is broken, it has a dent and the glass is cracked"),
        ("Button loose", "A button fell off when I took the reader out of the box"),
        ("Open box", "The seal was broken and the reader has clearly been used by somebody"),
        ("Wrong model", "I got the small model instead of the large one"),
        ("Incomplete", "Only two of the three things of order {number} were in the box"),
        ("Torn", "The packaging was torn and the cable is gone"),
        ("Bent cover", "The cover is bent and will not close"),
    ],
    "delivery/address": [
        ("Change delivery address", "Please send order {number} to my office instead of my home"),
        ("Wrong street", "I typed the wrong house number, can you still correct the delivery address?"),
        ("Moving house", "We are moving, please deliver order {number} to the new street"),
        ("Pick-up point", "Can the parcel go to a pick-up point instead of my address?"),
        ("Neighbour", "Please tell the courier to leave the parcel with my neighbour"),
        ("Old address", "My last order went to the address where I no longer live"),
        ("Flat number", "The number of my flat is missing on the label, please add it"),
        ("Abroad", "Do you deliver to Norway?"),
        ("Holiday", "I am away next week, please hold the parcel until Friday"),
        ("Wrong city", "There is a mistake in the postcode of order {number}"),
        ("Second address", "I would like to send a reader to my mother, how do I give her address?"),
        ("Parcel locker", "Please send it to the parcel locker at the station"),
        ("Reception", "The courier should ring at the reception and not at my door"),
    ],
    "technical/crash": [
        ("App crashes", "The app crashes as soon as I open a book with pictures"),
        ("Freezes", "The reader freezes on the start screen since the update {when}"),
        ("Restarts", "My reader restarts by itself while I am reading"),
        ("Black screen", "The screen stays black after charging, and the power button does nothing"),
        ("Closes itself", "The app closes itself whenever I turn the phone"),
        ("Error message", "Opening the library ends with an error message and the app quits"),
        ("Stuck", "The reader is stuck on page 40 and does not respond to touch"),
        ("Hangs", "It hangs when I search in long books"),
        ("Battery", "The battery is empty after an hour and then the reader switches itself off"),
        ("Does not start", "Since {when} the reader does not start any more"),
        ("Blinking light", "The light blinks red three times and nothing else happens"),
        ("Slow", "Turning a page takes ten seconds, and sometimes everything stops"),
        ("Lines", "There are lines all over the display after it woke up"),
        ("Crash while reading aloud", "The app crashes when a book is read aloud"),
    ],
    "technical/sync": [
        ("Books missing", "Books that I bought on the website do not appear on the reader"),
        ("Sync", "The last page is not synchronised between my phone and the reader"),
        ("Notes gone", "My notes and bookmarks have vanished after I synchronised {when}"),
        ("Cloud", "Uploading my own documents to the cloud stops at half"),
        ("Library differs", "The library on the tablet differs from the one on the reader"),
        ("Offline", "The app says offline although the wireless network works"),
        ("Missing chapters", "The last chapters of a book have not been downloaded"),
        ("Bookmarks", "Bookmarks that I set on the phone are not on the reader"),
        ("Purchases", "I bought a novel {when} and it is not in my library"),
        ("Downloads", "Downloads stop as soon as the display goes dark"),
        ("Deleted books", "Books that I deleted come back every night"),
        ("Import", "My own PDF files are uploaded but never appear on the device"),
        ("Shelves", "The order of my shelves is not the same on both devices"),
        ("Highlights", "Can I get my highlights from the reader to the computer?"),
    ],
    "technical/setup": [
        ("First start", "The reader does not find our wireless network during the setup"),
        ("Install", "The app cannot be installed on my old tablet, which version do I need?"),
        ("Update", "The update stops with a message about too little storage"),
        ("Language", "How do I set the menus of the reader to another language?"),
        ("Computer", "My computer does not recognise the reader when I plug in the cable"),
        ("Getting started", "Where do I enter the activation code that was in the box?"),
        ("Font", "How can I make the letters larger?"),
        ("Wireless", "Our wireless network has a login page and the reader cannot show it"),
        ("Old version", "Which version of the system does the app need?"),
        ("Factory settings", "How do I set the reader back to factory settings?"),
        ("Cable", "The driver for the cable is not found by my computer"),
        ("Bluetooth", "I cannot connect my headphones to the reader"),
        ("Dictionary", "Where do I get the French dictionary for the reader?"),
        ("Activation", "The activation code is said to be in use already"),
    ],
}

BEFORE = ["Hello, ", "Hi there, ", "Dear support team, ", "Good morning. ", "", "", ""]
AFTER = [
    " I have already written {when} and got no answer.",
    " I am a customer of many years.",
    " Please tell me what to do.",
    " I bought the reader in your shop {when}.",
    " Thank you for your help!",
    " It is rather urgent.",
    " My order number is {number}.",
    " I tried it on the website and in the app.",
    " Could somebody call me back?",
    "",
    "",
    "",
]
WHEN = ["yesterday", "last week", "two weeks ago", "on Monday", "this morning", "in March", "ten days ago"]
COMMON = 7
"""How many problems of each subcategory come up twice."""
MISFILED = {"billing/invoice": "delivery/late", "technical/sync": "account/login"}
"""Where one ticket of a subcategory was filed by mistake."""


def body(problem: str, random: Random) -> str:
    """Give the words of one ticket."""
    before, after, more, when = (part[int(random.random() * len(part))] for part in (BEFORE, AFTER, AFTER, WHEN))
    end = "" if problem.endswith("?") else "."
    text = f"{before}{problem}{end}{after}{more if more != after else ''}"
    return text.format(number=10_000 + int(random.random() * 90_000), when=when)


def tickets() -> list[tuple[str, str, str]]:
    """Give subject, body and category of every ticket, those of different categories by turns."""
    random = Random(7)
    of_each = [
        [(subject, body(problem, random), name) for subject, problem in (*problems, *problems[:COMMON])]
        for name, problems in PROBLEMS.items()
    ]
    rows = [row for rows in zip_longest(*of_each) for row in rows if row]
    for name, wrong in MISFILED.items():
        at = max(number for number, row in enumerate(rows) if row[2] == name)
        rows[at] = (*rows[at][:2], wrong)
    return [*rows, rows[-1]]


def written() -> str:
    """Give the file."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(["ticket_id", "subject", "body", "category"])
    writer.writerows((f"T-{1000 + number}", *row) for number, row in enumerate(tickets(), 1))
    return file.getvalue()


if __name__ == "__main__":
    FILE.write_text(written(), encoding="utf-8")
