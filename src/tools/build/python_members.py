"""Prints the public members of the Python client as JSON, for src/tools/build/pythonPage.ts. It parses the sources and
runs none.
"""

import ast
import json
import sys
from pathlib import Path

ROOT = Path(sys.argv[1])


def parsed(module):
    text = (ROOT / (module.replace(".", "/") + ".py")).read_text("utf-8")
    return ast.parse(text), text.splitlines()


def signature(node, name):
    parts = list(split_arguments(node.args))
    returns = "" if node.returns is None else f" -> {text_of(node.returns)}"
    line = f"{name}({', '.join(parts)}){returns}"
    if len(line) <= 100:
        return line
    split = ",\n    ".join(parts)
    return f"{name}(\n    {split},\n){returns}"


def text_of(node):
    """The source of a type or default. A forward reference is written without its quotes."""
    is_text = isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.isidentifier()
    return node.value if is_text else ast.unparse(node)


def split_arguments(arguments):
    defaults = [None] * (len(arguments.args) - len(arguments.defaults)) + arguments.defaults
    positional = zip(arguments.args, defaults)
    yield from (argument(*each) for each in positional if each[0].arg not in ("self", "cls"))
    if arguments.vararg:
        yield f"*{argument(arguments.vararg, None)}"
    elif arguments.kwonlyargs:
        yield "*"
    yield from (argument(*each) for each in zip(arguments.kwonlyargs, arguments.kw_defaults))
    if arguments.kwarg:
        yield f"**{argument(arguments.kwarg, None)}"


def argument(node, default):
    text = node.arg if node.annotation is None else f"{node.arg}: {text_of(node.annotation)}"
    return text if default is None else f"{text} = {ast.unparse(default)}"


def names_of(node):
    arguments = node.args
    every = [*arguments.args, arguments.vararg, *arguments.kwonlyargs, arguments.kwarg]
    return [each.arg for each in every if each is not None and each.arg not in ("self", "cls")]


def comment_before(lines, node):
    """The text of the ``#:`` comments above a statement."""
    found = []
    for line in reversed(lines[: node.lineno - 1]):
        if not line.strip().startswith("#:"):
            break
        found.insert(0, line.strip()[2:].strip())
    return " ".join(found)


def function(node, name):
    decorators = [ast.unparse(each) for each in node.decorator_list]
    kind = "property" if "property" in decorators else "classmethod" if "classmethod" in decorators else "function"
    names = names_of(node)
    is_async = isinstance(node, ast.AsyncFunctionDef)
    return {
        "kind": kind,
        "name": node.name,
        "doc": ast.get_docstring(node) or "",
        "signature": ("async " if is_async else "") + signature(node, name),
        "returns": "" if node.returns is None else text_of(node.returns),
        "parameters": names,
    }


def attributes(node, lines):
    """Fields of a data class, and the public attributes that a constructor sets."""
    for each in node.body:
        if isinstance(each, ast.AnnAssign) and not each.target.id.startswith("_"):
            yield {"name": each.target.id, "type": ast.unparse(each.annotation), "doc": comment_before(lines, each)}
        if isinstance(each, ast.FunctionDef) and each.name == "__init__":
            annotated = {one.arg: one.annotation for one in [*each.args.args, *each.args.kwonlyargs]}
            for one in each.body:
                target = one.targets[0] if isinstance(one, ast.Assign) else getattr(one, "target", None)
                is_own = isinstance(target, ast.Attribute) and not target.attr.startswith("_")
                if is_own:
                    annotation = one.annotation if isinstance(one, ast.AnnAssign) else annotated.get(target.attr)
                    kind = "" if annotation is None else ast.unparse(annotation)
                    yield {"name": target.attr, "type": kind, "doc": comment_before(lines, one)}


def described(module, name):
    tree, lines = parsed(module)
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and node.name == name:
            methods = [each for each in node.body if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef))]
            shown = [each for each in methods if not each.name.startswith("_")]
            assigned = [each for each in node.body if isinstance(each, ast.Assign)]
            aliases = [each for each in assigned if not each.targets[0].id.startswith("_")]
            constructor = next((each for each in methods if each.name == "__init__"), None)
            return {
                "kind": "class",
                "name": name,
                "module": module,
                "bases": [ast.unparse(each) for each in node.bases],
                "doc": ast.get_docstring(node) or "",
                "signature": "" if constructor is None else signature(constructor, name),
                "parameters": [] if constructor is None else names_of(constructor),
                "attributes": list(attributes(node, lines)),
                "methods": [function(each, each.name) for each in shown],
                "aliases": {each.targets[0].id: ast.unparse(each.value) for each in aliases},
            }
        if isinstance(node, ast.FunctionDef) and node.name == name:
            return {**function(node, name), "module": module}
        if isinstance(node, (ast.Assign, ast.AnnAssign)):
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            if isinstance(target, ast.Name) and target.id == name:
                kind = ast.unparse(node.annotation) if isinstance(node, ast.AnnAssign) else ""
                doc = comment_before(lines, node)
                return {"kind": "value", "name": name, "module": module, "doc": doc, "type": kind}
    raise SystemExit(f"{module} does not declare {name}")


def main():
    tree, lines = parsed("__init__")
    found = {}
    for node in tree.body:
        if isinstance(node, ast.ImportFrom):
            for each in node.names:
                public = each.asname or each.name
                found[public] = {**described(node.module, each.name), "public": public}
        if isinstance(node, ast.Assign) and node.targets[0].id != "__all__" and isinstance(node.value, ast.Name):
            name = node.targets[0].id
            doc = comment_before(lines, node)
            found[name] = {
                "kind": "alias",
                "name": node.value.id,
                "module": "__init__",
                "public": name,
                "doc": doc,
            }
    every = next(
        ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and node.targets[0].id == "__all__"
    )
    bases = {
        "ShortNames": described("aliases", "ShortNames"),
        "Operations": described("generated.operations", "Operations"),
    }
    json.dump({"all": [found[name] for name in every], "bases": bases}, sys.stdout)


main()
