"""Prints the tag of wheels with a Linux program: the oldest manylinux whose libraries have the symbols that it needs.

auditwheel has the table of what each manylinux has, glibc and libstdc++ alike.
"""

import sys

from auditwheel.architecture import Architecture
from auditwheel.libc import Libc
from auditwheel.policy import WheelPolicies
from elftools.elf.elffile import ELFFile

with open(sys.argv[1], "rb") as program:
    elf = ELFFile(program)
    machine = {"EM_X86_64": Architecture.x86_64, "EM_AARCH64": Architecture.aarch64}[elf["e_machine"]]
    needed: dict[str, set[str]] = {}
    section = elf.get_section_by_name(".gnu.version_r")
    for _, versions in section.iter_versions() if section else ():
        for version in versions:
            name, _, number = version.name.partition("_")
            needed.setdefault(name, set()).add(number)
    dynamic = elf.get_section_by_name(".dynamic")
    libraries = {t.needed for t in dynamic.iter_tags("DT_NEEDED") if not t.needed.startswith("ld-linux")} if dynamic else set()

policies = WheelPolicies(libc=Libc.GLIBC, arch=machine)
for policy in sorted(policies, key=lambda p: p.priority, reverse=True):
    if policy.name.startswith("linux"):
        continue
    has = policy.symbol_versions
    if all(numbers <= set(has.get(name, ())) for name, numbers in needed.items()) and libraries <= set(policy.whitelist):
        print(policy.name)
        break
else:
    sys.exit(f"{sys.argv[1]}: no manylinux has what it needs: {needed}, {libraries}")
