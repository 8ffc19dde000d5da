"""What newcomers fell into, each in a process of its own, as a shell runs it."""

import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

PLAIN = "printf 'text,labels\\nroses and tulips,flowers\\nbeans and peas,vegetables\\nrose,flowers\\n' > plain.csv; "
MODEL = PLAIN + "classmark train plain.csv -o m > said; "
INDEX = PLAIN + "classmark index add ix plain.csv > said; "


class Case(NamedTuple):
    """A command line, how it ends, and what is to be read in what it prints."""

    command: str
    code: int
    words: tuple[str, ...]


CASES = {
    "ids nobody gave": Case(
        INDEX + "classmark index add ix plain.csv", 0, ("added      3", "replaced   0", "#4 to #6", "documents  6")
    ),
    "a replacement": Case(
        "printf 'id,text\\n7,roses\\n' > a.csv; classmark index add ix a.csv; classmark index add ix a.csv",
        0,
        ("added      0", "replaced   1"),
    ),
    "a flipped bit in an index": Case(
        INDEX
        + "f=$(ls ix/*.segment); printf X | dd of=$f bs=1 seek=$(($(stat -c %s $f) - 9)) conv=notrunc 2> /dev/null;"
        "classmark index search ix plain.csv; [ $? = 2 ] && classmark index compact ix",
        2,
        ("the checksum does not fit",),
    ),
    "a manifest that was changed": Case(
        INDEX + 'sed -i \'s/"writes": 1/"writes": 2/\' ix/index.json; classmark index info ix', 2, ("checksum",)
    ),
    "a split column that is not there": Case(
        PLAIN + "classmark train plain.csv -o m --split-column splitt", 2, ("no split column 'splitt'",)
    ),
    "an id column that is not there": Case(
        PLAIN + "classmark train plain.csv -o m --id-column nosuch", 2, ("no id column 'nosuch'",)
    ),
    "labels that look like paths": Case(
        "printf 'text,labels\\nroses,a/b\\ntulips,a/c\\nbeans,d\\n' > p.csv; classmark train p.csv -o m",
        0,
        ("2 of 3 labels have '/' in them, such as 'a/b'", "--path-separator /"),
    ),
    "labels that look like several": Case(
        "printf 'text,labels\\nroses,a;b\\ntulips,b;c\\nbeans,d\\n' > p.csv; classmark train p.csv -o m",
        0,
        ("2 of 3 labels have ';' in them, such as 'a;b'", "--label-separator ';'"),
    ),
    "space around a separator": Case(
        "printf 'text,labels\\nroses,a / b\\ntulips,a/b\\nbeans,a/c\\n' > p.csv;"
        "classmark train p.csv -o m --path-separator /",
        0,
        ("categories  3",),
    ),
    "evaluating on what was trained on": Case(
        MODEL + "classmark evaluate m plain.csv", 0, ("trained on 3 of these 3 documents", "--holdout 20%")
    ),
    "holding out": Case(
        PLAIN + "classmark train plain.csv -o m --holdout 40%", 0, ("documents   2", "held out\n1 doc")
    ),
    "standard input of a kind": Case(
        MODEL + "printf 'text\\nroses\\n' | classmark predict m - --kind csv", 0, ('{"id":"1","labels":["flowers"]}\n',)
    ),
    "answers as a table": Case(
        MODEL + "classmark predict m plain.csv -o out.csv; cat out.csv",
        0,
        ("id,labels,no_known_terms\r\n1,flowers,false\r\n",),
    ),
    "a source and target that are one": Case(
        PLAIN + "classmark convert plain.csv plain.csv --force", 2, ("would be read and then replaced",)
    ),
    "a share that is no number": Case(
        PLAIN + "classmark convert plain.csv b.csv --resplit random,train=nan", 2, ("give numbers above 0",)
    ),
    "a separator that is needed to read": Case(
        "printf 'text,labels\\nroses,\"a, b\";c\\n' | tr -d '\"' > p.csv;"
        "classmark convert p.csv b.csv --label-separator ';' --delimiter ,",
        2,
        ("cell(s) for 2 columns",),
    ),
    "a split that no document has": Case(
        PLAIN + "classmark index add ix plain.csv --split typo", 2, ("no document has the split 'typo'",)
    ),
    "a setting that no index has": Case(
        "classmark index create ix --set encoder=sentence", 2, ("an index has no setting 'encoder'",)
    ),
    "a number without end": Case(
        PLAIN + f"classmark train plain.csv -o m --set max_iter={'9' * 20}",
        2,
        ("integer >= 1",),
    ),
    "standard input that is closed": Case(
        MODEL + '"$INSTALLED"/classmark predict m - <&-', 2, ("standard input is closed",)
    ),
    "one label": Case(
        "printf 'text,labels\\nroses and tulips,x\\nbeans and peas,x\\n' > o.csv;"
        "classmark train o.csv -m adaboost-mh -o m; classmark predict m o.csv",
        0,
        ('"labels":["x"]',),
    ),
    "a pattern without end": Case(
        PLAIN + "classmark train plain.csv -o m --set 'token_pattern=(?:a+)+b'", 2, ("takes too long",)
    ),
    "more processes than rows": Case(
        PLAIN + '"$INSTALLED"/classmark train plain.csv -o m --jobs 100000', 0, ("documents   3",)
    ),
    "a line without end": Case(
        "head -c 3000000 /dev/zero | tr '\\0' a | gzip > long.jsonl.gz;classmark train long.jsonl.gz -o m --max-line 1",
        2,
        ("the line is longer than 1 MiB", "--max-line 2"),
    ),
    "a name that is too long": Case(f"classmark info {'a' * 300}", 2, ("the name of the file is too long",)),
    "a column called category": Case(
        "printf 'text,category\\nroses,flowers\\n' > c.csv; classmark train c.csv -o m", 2, ("--label-column category",)
    ),
    "codes of terminals": Case(
        "printf 'text,labels\\nroses,\\033[31mred\\n' > c.csv; printf 'ROOT\\tblue\\n' > h.tsv;"
        "classmark train c.csv -o m --hierarchy h.tsv",
        2,
        ("\\x1b[31mred",),
    ),
    "figures by category, and errors": Case(
        MODEL + "classmark evaluate m plain.csv --by-category --errors wrong.jsonl; wc -l wrong.jsonl",
        0,
        ("category    documents  predicted", "0 wrong.jsonl"),
    ),
    "semicolons": Case(
        "printf 'text;labels\\r\\nroses;flowers\\r\\nbeans;vegetables\\r\\n' > s.csv; classmark train s.csv -o m",
        0,
        ("cells are separated by semicolons", "documents   2"),
    ),
    "a setting of one method": Case(
        PLAIN + "classmark compare plain.csv -m nb,majority --holdout 40% --set nb.smoothing=0.1 --format csv",
        0,
        ("method,micro_f1", "nb,", "majority,"),
    ),
    "a misspelt category": Case(
        "printf 'text,labels\\nroses,flowrs\\n' > c.csv; printf 'ROOT\\tflowers\\n' > h.tsv;"
        "classmark train c.csv -o m --hierarchy h.tsv",
        2,
        ("did you mean 'flowers'",),
    ),
    "neighbours by their ids": Case(
        "printf 'id,text,labels\\nb7,roses and tulips,x\\nb8,beans and peas,y\\n' > i.csv;"
        "classmark train i.csv -m knn-bm25 -o m; classmark explain m 'tulips'",
        0,
        ("document b7 (x)",),
    ),
    "the short way to help": Case("classmark train -h", 0, ("--holdout",)),
}


@pytest.mark.skipif(sys.platform == "win32", reason="commands are those of a shell")
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_it_is_said(case, tmp_path, scripts):
    installed = str(Path(sys.executable).parent)
    path = os.pathsep.join([str(scripts), installed, os.environ["PATH"]])
    done = subprocess.run(
        case.command,
        shell=True,
        cwd=tmp_path,
        env=os.environ | {"PATH": path, "INSTALLED": installed, "COLUMNS": "200"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
        timeout=120,
    )
    said = done.stdout.decode()
    assert done.returncode == case.code, said
    assert "Traceback" not in said
    for words in case.words:
        assert words in said
