"""The application inside the process of another one."""

import subprocess
import sys

from tests.server.birds import make_model

EMBED = """
import sys
from classmark.server import ServerSettings, create_app
from classmark.server.running import application

before = sys.getswitchinterval()
settings = ServerSettings(models={"birds": "birds.classmark"})
create_app(settings)
print(sys.getswitchinterval() == before)
settings.to_environment()
application()
print(sys.getswitchinterval() < before)
"""


def test_only_processes_of_serve_change_the_switch_interval(tmp_path):
    make_model(tmp_path / "birds.classmark")
    done = subprocess.run([sys.executable, "-c", EMBED], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "True"]
