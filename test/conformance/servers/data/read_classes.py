"""Rewrites the request classes of model servers as JSON: `python read_classes.py <kind> <version> <file:Class> ...`.

`kind` is `python` (pydantic classes, dataclasses, TypedDicts; several classes are one request) or `go` (structs). For each field the
kinds of JSON it takes are kept, nothing else. Prints JSON.
"""

import ast
import json
import re
import sys

SIMPLE = {"str": "string", "int": "integer", "float": "number", "bool": "boolean", "None": "null", "object": "any", "Any": "any"}
LISTS = {"List", "list", "Iterable", "Sequence", "Set", "set", "SequenceNotStr"}
DICTS = {"Dict", "dict", "Mapping"}
WRAPPERS = {"Annotated", "Required", "Literal"}


def kinds(node):
    if isinstance(node, ast.Constant):
        return {"null"} if node.value is None else ({"any"} if node.value is Ellipsis else kinds(ast.parse(node.value, mode="eval").body))
    if isinstance(node, (ast.Name, ast.Attribute)):
        name = node.id if isinstance(node, ast.Name) else node.attr
        return {SIMPLE.get(name, "array" if name in LISTS else "object" if name in DICTS else "any")}
    if isinstance(node, ast.BinOp):
        return kinds(node.left) | kinds(node.right)
    if isinstance(node, ast.Subscript):
        name = node.value.id if isinstance(node.value, ast.Name) else node.value.attr
        inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if name == "Optional":
            return kinds(inner[0]) | {"null"}
        if name == "Union":
            return set().union(*map(kinds, inner))
        if name == "Literal":
            named = {type(each.value).__name__ for each in inner if isinstance(each, ast.Constant)}
            return {SIMPLE.get("None" if each == "NoneType" else each, "any") for each in named}
        if name in WRAPPERS:
            return kinds(inner[0])
        return {"array"} if name in LISTS else {"object"} if name in DICTS else {"any"}
    return {"any"}


def read_python(path, name):
    tree = ast.parse(open(path).read())
    found = next(node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == name)
    return {
        each.target.id: sorted(kinds(each.annotation))
        for each in found.body
        if isinstance(each, ast.AnnAssign) and not each.target.id.startswith("_")
    }


def read_go(path, name):
    body = re.search(r"type %s struct \{(.*?)\n\}" % name, open(path).read(), re.S).group(1)
    fields = {}
    for go, tag in re.findall(r"^\s+\w+\s+(\S+)\s+`json:\"(\w+)", body, re.M):
        bare = go.lstrip("*")
        kind = {"string": "string", "int": "integer", "bool": "boolean", "float64": "number", "any": "any"}.get(bare)
        kind = kind or ("array" if bare.startswith("[]") else "object")
        fields[tag] = sorted({kind, "null"} if go != "any" else {"any"})
    return fields


if __name__ == "__main__":
    kind, version, *places = sys.argv[1:]
    fields = {}
    for place in places:
        path, name = place.rsplit(":", 1)
        fields.update((read_go if kind == "go" else read_python)(path, name))
    classes = [place.rsplit(":", 1)[1] for place in places]
    print(json.dumps({"source": version, "classes": classes, "fields": dict(sorted(fields.items()))}, indent=1))
