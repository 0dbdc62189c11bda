"""Adds the program badger to a wheel. deploy/package/wheel sets the variables; without them the wheel has no program.

WHEEL_VERSION   the version
WHEEL_PROGRAM   the program
WHEEL_TAG       the platform that it runs on, such as manylinux_2_35_x86_64
"""

import os

VERSION = os.environ.get("WHEEL_VERSION", "0.dev0")

try:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface
except ImportError:  # while the version is read
    pass
else:

    class Program(BuildHookInterface):
        def initialize(self, version, build_data):
            program = os.environ.get("WHEEL_PROGRAM")
            if program and version == "standard":
                name = "badger.exe" if program.endswith(".exe") else "badger"
                build_data["shared_scripts"][program] = name
                build_data["tag"] = f"py3-none-{os.environ['WHEEL_TAG']}"
                build_data["pure_python"] = False
