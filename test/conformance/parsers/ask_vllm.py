"""Asks the tool-call parsers of a vLLM checkout what they make of replies.

    python ask_vllm.py <folder of vllm/tool_parsers> < cases.json > answers.json

Only the parsers are loaded; what they import of the rest of vLLM is stood in for here, so no GPU and no vLLM is needed.
Needs `regex` and `pydantic`.
"""

import importlib.util
import json
import pathlib
import sys
import types

from pydantic import BaseModel, ConfigDict

PARSERS = {
    "hermes": ("hermes", "Hermes2ProToolParser"),
    "qwen": ("hermes", "Hermes2ProToolParser"),
    "longcat": ("longcat", "LongcatFlashToolParser"),
    "qwen3_coder": ("qwen3coder", "Qwen3CoderToolParser"),
    "glm45": ("glm4_moe", "Glm4MoeModelToolParser"),
    "glm47": ("glm47_moe", "Glm47MoeModelToolParser"),
    "llama3_json": ("llama", "Llama3JsonToolParser"),
    "mistral": ("mistral", "MistralToolParser"),
    "deepseek_v3": ("deepseekv3", "DeepSeekV3ToolParser"),
    "deepseek_v3_1": ("deepseekv31", "DeepSeekV31ToolParser"),
    "kimi_k2": ("kimi_k2", "KimiK2ToolParser"),
}


class Anything:
    def __init__(self, *_args, **fields):
        self.__dict__.update(fields)


class Logger:
    def __getattr__(self, _name):
        return lambda *_args, **_fields: None


class FunctionCall(BaseModel):
    name: str
    arguments: str


class ToolCall(BaseModel):
    model_config = ConfigDict(extra="allow")
    id: str = ""
    type: str = "function"
    function: FunctionCall


class Extracted(Anything):
    tool_calls = ()


class AnyVocabulary(dict):
    def get(self, _key, _default=None):
        return 1


class ToolParser:
    def __init__(self, tokenizer, *_args):
        self.model_tokenizer = tokenizer
        self.vocab = AnyVocabulary()


class Tokenizer:
    def encode(self, _text, add_special_tokens=False):
        return [1]

    def decode(self, _tokens):
        return "x"


def stand_in(name, **fields):
    module = types.ModuleType(name)
    module.__dict__.update(fields)
    sys.modules[name] = module
    parent, _, child = name.rpartition(".")
    if parent in sys.modules:
        setattr(sys.modules[parent], child, module)


def stand_in_for_vllm():
    for name in ("vllm", "vllm.entrypoints", "vllm.entrypoints.openai", "vllm.tool_parsers"):
        stand_in(name)
    stand_in("vllm.envs", VLLM_TOOL_PARSE_REGEX_TIMEOUT_SECONDS=5)
    wire = "ChatCompletionRequest ChatCompletionToolsParam DeltaFunctionCall DeltaMessage DeltaToolCall".split()
    stand_in(
        "vllm.entrypoints.openai.protocol",
        ExtractedToolCallInformation=Extracted,
        FunctionCall=FunctionCall,
        ToolCall=ToolCall,
        **dict.fromkeys(wire, Anything),
    )
    stand_in("vllm.entrypoints.chat_utils", make_tool_call_id=lambda *_args, **_fields: "")
    stand_in("vllm.logger", init_logger=lambda _name: Logger())
    stand_in("vllm.tokenizers", TokenizerLike=object)
    stand_in("vllm.tokenizers.mistral", MistralTokenizer=type("MistralTokenizer", (), {}))
    stand_in("vllm.tool_parsers.abstract_tool_parser", ToolParser=ToolParser, ToolParserManager=Anything)
    helpers = "find_common_prefix is_complete_json partial_json_loads extract_intermediate_diff consume_space".split()
    stand_in("vllm.tool_parsers.utils", **dict.fromkeys(helpers))
    stand_in("partial_json_parser", loads=None)
    stand_in("partial_json_parser.core")
    stand_in("partial_json_parser.core.options", Allow=None)
    stand_in("ijson", parse_coro=lambda _target: None, coroutine=lambda function: function)
    stand_in("transformers", PreTrainedTokenizerBase=object)


def load(folder, name):
    full = f"vllm.tool_parsers.{name}_tool_parser"
    if full not in sys.modules:
        spec = importlib.util.spec_from_file_location(full, folder / f"{name}_tool_parser.py")
        module = importlib.util.module_from_spec(spec)
        sys.modules[full] = module
        spec.loader.exec_module(module)
    return sys.modules[full]


def to_tool(tool):
    return Anything(type="function", function=Anything(**tool["function"]))


def ask(parser_class, case):
    tools = case.get("tools")
    request = Anything(tools=None if tools is None else [to_tool(tool) for tool in tools])
    try:
        calls = parser_class(Tokenizer()).extract_tool_calls(case["text"], request).tool_calls
        return [[call.function.name, call.function.arguments] for call in calls if call is not None]
    except Exception as error:
        return type(error).__name__


def main():
    folder = pathlib.Path(sys.argv[1])
    stand_in_for_vllm()
    load(folder, "hermes")
    load(folder, "glm4_moe")
    answers = {}
    for name, cases in json.load(sys.stdin).items():
        module, class_name = PARSERS[name]
        parser_class = getattr(load(folder, module), class_name)
        answers[name] = [ask(parser_class, case) for case in cases]
    json.dump(answers, sys.stdout, ensure_ascii=False)


main()
