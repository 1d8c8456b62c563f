"""Holds a release against implementations that are not ours: its components against the schema of CycloneDX, and its
provenance against DSSE by securesystemslib and the files that it names.

    prove.py DIST PUBLIC_KEY
"""

import hashlib
import json
import pathlib
import sys

from cryptography.hazmat.primitives.serialization import load_pem_public_key
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from securesystemslib.dsse import Envelope
from securesystemslib.signer import SSlibKey

dist, public = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])

bills = sorted(dist.glob("*.cdx.json"))
assert len(bills) == len(list(dist.glob("*.tar.gz"))) > 0, "an archive has no bill of materials"
for path in bills:
    bill = path.read_text(encoding="utf-8")
    problem = JsonStrictValidator(SchemaVersion.V1_5).validate_str(bill)
    assert problem is None, f"{path.name}: {problem}"
    print(f"valid: {path.name}, {len(json.loads(bill)['components'])} components")

key = SSlibKey.from_crypto(load_pem_public_key(public.read_bytes()))
envelope = Envelope.from_dict(json.loads((dist / "provenance.intoto.jsonl").read_text(encoding="utf-8")))
key_id = next(iter(envelope.signatures))
envelope.verify([SSlibKey(key_id, key.keytype, key.scheme, key.keyval)], threshold=1)
statement = json.loads(envelope.payload)
named = {subject["name"]: subject["digest"]["sha256"] for subject in statement["subject"]}
there = {
    path.name: hashlib.sha256(path.read_bytes()).hexdigest()
    for path in dist.iterdir()
    if path.name != "provenance.intoto.jsonl"
}
assert named == there, f"the provenance is about {named}, and there are {there}"
print(f"signed: {', '.join(sorted(named))}, by {statement['predicate']['runDetails']['builder']['id']}")
