"""Errors of users become 4xx answers; programming errors become logged answers with status 500."""

import logging

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from classmark.errors import InputError
from classmark.server.problems import MEDIA_TYPE, add_handlers


@pytest.fixture
def client() -> TestClient:
    app = FastAPI()
    add_handlers(app)

    @app.get("/input")
    def input_error() -> None:
        raise InputError("text_column: unknown column 'body'")

    @app.get("/internal")
    def programming_error() -> None:
        [].index("the words of a document")  # type: ignore[arg-type]

    return TestClient(app, raise_server_exceptions=False)


def test_input_error_becomes_400_with_its_message(client):
    answer = client.get("/input")
    assert (answer.status_code, answer.headers["content-type"]) == (400, MEDIA_TYPE)
    assert answer.json()["detail"] == "text_column: unknown column 'body'"


def test_internal_value_error_becomes_logged_500_without_its_message(client, caplog):
    with caplog.at_level(logging.ERROR):
        answer = client.get("/internal")
    assert (answer.status_code, answer.headers["content-type"]) == (500, MEDIA_TYPE)
    assert "words of a document" not in answer.text
    (record,) = [one for one in caplog.records if one.exc_info]
    assert isinstance(record.exc_info[1], ValueError)
