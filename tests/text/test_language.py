"""Which language texts are in."""

import pytest

from classmark.text.language import detect_language

TEXTS = {
    "english": "The whole house was full of guests who had come to celebrate, and they stayed until it was late.",
    "german": "Das ganze Haus war voll von Gästen, die gekommen waren, um zu feiern, und sie blieben, bis es spät war.",
    "dutch": "Het hele huis was vol gasten die waren gekomen om te vieren, en zij bleven tot het laat was.",
    "french": "Toute la maison était pleine d'invités qui étaient venus faire la fête, et ils sont restés très tard.",
    "italian": "Tutta la casa era piena di ospiti che erano venuti a festeggiare, e sono rimasti fino a tardi.",
    "spanish": "Toda la casa estaba llena de invitados que habían venido a celebrar, y se quedaron hasta muy tarde.",
    "portuguese": "A casa inteira estava cheia de convidados que tinham vindo comemorar, e eles não foram embora cedo.",
}
OTHERS = {
    "swedish": "Hela huset var fullt av gäster som hade kommit för att fira, och de stannade till långt in på natten.",
    "danish": "Hele huset var fyldt med gæster, der var kommet, og de spiste og drak til langt ud på natten.",
    "polish": "Cały dom był pełen gości, którzy przyszli świętować, i zostali do późnej nocy.",
    "finnish": "Koko talo oli täynnä vieraita, jotka olivat tulleet juhlimaan, ja he jäivät myöhään yöhön.",
    "russian": "Весь дом был полон гостей, которые пришли праздновать.",
}


@pytest.mark.parametrize("language", TEXTS)
def test_a_sentence_tells_its_language(language):
    assert detect_language([TEXTS[language]]) == language


@pytest.mark.parametrize("language", OTHERS)
def test_a_language_without_stop_words_is_not_taken_for_another(language):
    assert detect_language([OTHERS[language]] * 20) is None


def test_a_mixture_has_no_language():
    assert detect_language(TEXTS.values()) is None


def test_nothing_and_names_have_no_language():
    assert detect_language([]) is None
    assert detect_language(["", "Berlin, Köln", "numpy scipy"]) is None


def test_most_documents_decide():
    assert detect_language([TEXTS["german"]] * 30 + [TEXTS["english"]]) == "german"
