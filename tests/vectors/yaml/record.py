"""Records what Salt's loader says of the documents of cases.json: the repr() of the value, or the error.

    python record.py > answers.json     (with salt 3006 in that Python)
"""
import json, os

from salt.utils.yamlloader import SaltYamlSafeLoader, load

HERE = os.path.dirname(os.path.abspath(__file__))


def answer(text):
    try:
        return {"value": repr(load(text, Loader=SaltYamlSafeLoader))}
    except Exception as error:
        return {"error": type(error).__name__, "text": str(error)}


def main():
    cases = json.load(open(os.path.join(HERE, "cases.json")))
    print("[" + ",\n".join(json.dumps(answer(text), ensure_ascii=False) for text in cases) + "]")


main()
