"""`classmark demo`."""

import shutil
import sys
from pathlib import Path
from typing import Annotated

import typer

from classmark.cli import console
from classmark.cli.figures import print_evaluation


def demo(
    output: Annotated[str, typer.Option("--output", "-o", help="Where to save the model.")] = "demo.classmark",
) -> None:
    """Train, evaluate and use a classifier on the embedded corpus."""
    from classmark.explain import to_text
    from classmark.service.training import demo as train_and_use

    with console.progress():
        result = train_and_use(output)
    typer.echo(f"{result.documents:,} docstrings of installed packages, {result.hierarchy}\n")
    typer.echo(f"linear-svm, trained in {result.seconds:.1f} s, on the documents held out:")
    print_evaluation(result.evaluation)
    typer.echo(f"(the majority baseline: hF {result.baseline.figures['hierarchical']['hf']:.3f})\n")
    typer.echo(f"“{result.sentence}”\n")
    typer.echo("belongs to\n")
    typer.echo(to_text(result.explanation.explanations))
    typer.echo(f"\nThe model is in {result.model}. Try:\n")
    typer.echo(f'  {program()} explain {result.model} "Interpolate scattered points by a spline"')


def program() -> str:
    """Give what to type to run classmark from here: its name where the shell finds it, its path where it does not."""
    if shutil.which("classmark"):
        return "classmark"
    path = Path(sys.argv[0])
    return str(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)
