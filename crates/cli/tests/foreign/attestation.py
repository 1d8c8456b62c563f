"""Holds signed statements against implementations that are not ours, and signs some of its own.

    attestation.py check PUBLIC.pem ATTESTATION    verifies every line and its statement, prints one JSON line a statement
    attestation.py sign PUBLIC.pem TYPE PAYLOAD    makes a key, writes its public half, prints a signed envelope

Needs securesystemslib[crypto] and in-toto-attestation. Exits with 77 where they are missing.
"""

import hashlib
import json
import sys

try:
    import in_toto_attestation.predicates.test_result.v0.test_result_pb2 as test_result_pb2
    import in_toto_attestation.v1.statement_pb2 as statement_pb2
    from cryptography.hazmat.primitives import serialization
    from google.protobuf import json_format
    from in_toto_attestation.v1.statement import Statement
    from securesystemslib.dsse import Envelope
    from securesystemslib.signer import CryptoSigner, SSlibKey
except ImportError as error:
    print(error, file=sys.stderr)
    sys.exit(77)

TEST_RESULT = "https://in-toto.io/attestation/test-result/v0.1"


def check(public_file, attestation_file):
    with open(public_file, "rb") as file:
        public = serialization.load_pem_public_key(file.read())
    spki = public.public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
    key = SSlibKey.from_crypto(public, keyid=hashlib.sha256(spki).hexdigest())
    with open(attestation_file, encoding="utf-8") as file:
        lines = file.read().splitlines()
    for line in lines:
        envelope = Envelope.from_dict(json.loads(line))
        envelope.verify([key], threshold=1)
        statement = Statement.copy_from_pb(json_format.Parse(envelope.payload, statement_pb2.Statement()))
        statement.validate()
        predicate = json.loads(envelope.payload)["predicate"]
        if statement.pb.predicate_type == TEST_RESULT:
            # A reader of the predicate passes over extensions, whose keys are URIs.
            extensions = [name for name in predicate if "://" in name]
            known = {name: value for name, value in predicate.items() if name not in extensions}
            json_format.ParseDict(known, test_result_pb2.TestResult())
        print(json.dumps({"predicateType": statement.pb.predicate_type, "type": envelope.payload_type}))


def sign(public_file, payload_type, payload):
    signer = CryptoSigner.generate_ed25519()
    public = serialization.load_der_public_key(
        bytes.fromhex("302a300506032b6570032100" + signer.public_key.keyval["public"])
    )
    with open(public_file, "wb") as file:
        form = serialization.PublicFormat.SubjectPublicKeyInfo
        file.write(public.public_bytes(serialization.Encoding.PEM, form))
    envelope = Envelope(payload.encode(), payload_type, {})
    envelope.sign(signer)
    print(json.dumps(envelope.to_dict()))


if __name__ == "__main__":
    {"check": check, "sign": sign}[sys.argv[1]](*sys.argv[2:])
