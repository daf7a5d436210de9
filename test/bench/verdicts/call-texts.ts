// Tool calls as models of each family write them, where nothing between the model and the text reads them. Every text is
// written here; the formats are those of the families' chat templates.

const JSON_CALL = '{"name": "get_order", "arguments": {"id": "A-17"}}'

export const CALL_TEXTS: Record<string, string> = {
  'Hermes, Qwen, Granite 4': `<tool_call>\n${JSON_CALL}\n</tool_call>`,
  'Hermes, two calls': `<tool_call>\n${JSON_CALL}\n</tool_call>\n<tool_call>\n${JSON_CALL}\n</tool_call>`,
  'Hermes in Python’s notation':
    "<tool_call>\n{'name': 'get_order', 'arguments': {'id': 'A-17'}}\n</tool_call>",
  'Hermes, without its end': `<tool_call>\n${JSON_CALL}`,
  'Hermes with a fence': `<tool_call>\n\`\`\`json\n${JSON_CALL}\n\`\`\`\n</tool_call>`,
  'Qwen Coder':
    '<tool_call>\n<function=get_order>\n<parameter=id>\nA-17\n</parameter>\n</function>\n</tool_call>',
  'Qwen Coder, without its first tag':
    '<function=get_order>\n<parameter=id>\nA-17\n</parameter>\n</function>\n</tool_call>',
  'Hunyuan, Jamba': `<tool_calls>[${JSON_CALL}]</tool_calls>`,
  Nemotron: `<TOOLCALL>[${JSON_CALL}]</TOOLCALL>`,
  'Granite 20B': `<function_call> ${JSON_CALL}`,
  Glaive: `<functioncall> ${JSON_CALL}`,
  LongCat: `<longcat_tool_call>\n${JSON_CALL}\n</longcat_tool_call>`,
  'Llama 3.1, by its tag': '<function=get_order>{"id": "A-17"}</function>',
  'Llama 3 at Groq': '<function=get_order({"id": "A-17"})</function>',
  'Llama 3, Python': '<|python_tag|>{"name": "get_order", "parameters": {"id": "A-17"}}',
  'Llama 3, built-in tools': '<|python_tag|>brave_search.call(query="order A-17")<|eom_id|>',
  'Llama 4': '<|python_start|>[get_order(id="A-17")]<|python_end|>',
  Mistral: `[TOOL_CALLS][${JSON_CALL}]`,
  'Mistral, newer': '[TOOL_CALLS]get_order[ARGS]{"id": "A-17"}',
  'Mistral, without its token': 'get_order[ARGS]{"id": "A-17"}',
  DeepSeek:
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_order\n```json\n{"id":"A-17"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
  'DeepSeek 3.2':
    '<｜DSML｜function_calls>\n<｜DSML｜invoke name="get_order">\n<｜DSML｜parameter name="id" string="true">A-17</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>',
  Kimi: '<|tool_calls_section_begin|><|tool_call_begin|>functions.get_order:0<|tool_call_argument_begin|>{"id":"A-17"}<|tool_call_end|><|tool_calls_section_end|>',
  'Kimi, without its tokens': 'functions.get_order:0{"id": "A-17"}',
  GLM: '<tool_call>get_order\n<arg_key>id</arg_key>\n<arg_value>A-17</arg_value>\n</tool_call>',
  'GLM, without its first tag': 'get_order\n<arg_key>id</arg_key>\n<arg_value>A-17</arg_value>\n</tool_call>',
  'GLM, without arguments': '<tool_call>list_orders\n</tool_call>',
  MiniMax:
    '<minimax:tool_call>\n<invoke name="get_order">\n<parameter name="id">A-17</parameter>\n</invoke>\n</minimax:tool_call>',
  Seed: '<seed:tool_call>\n<function=get_order>\n<parameter=id>A-17</parameter>\n</function>\n</seed:tool_call>',
  Claude:
    '<function_calls>\n<invoke name="get_order">\n<parameter name="id">A-17</parameter>\n</invoke>\n</function_calls>',
  'Claude, older':
    '<function_calls>\n<invoke>\n<tool_name>get_order</tool_name>\n<parameters>\n<id>A-17</id>\n</parameters>\n</invoke>\n</function_calls>',
  'Claude, without the outer tag':
    '<invoke name="get_order">\n<parameter name="id">A-17</parameter>\n</invoke>',
  'gpt-oss': '<|channel|>commentary to=functions.get_order <|constrain|>json<|message|>{"id":"A-17"}<|call|>',
  'gpt-oss, the whole turn':
    '<|start|>assistant<|channel|>commentary to=functions.get_order<|message|>{"id":"A-17"}<|call|>',
  'gpt-oss, without its tokens': 'commentary to=functions.get_order json{"id": "A-17"}',
  'gpt-oss, after thinking without tokens':
    'analysisWe need to look up the order.assistantcommentary to=functions.get_order json{"id": "A-17"}',
  'Granite 3, Phi-4': `<|tool_call|>[${JSON_CALL}]<|/tool_call|>`,
  'Phi-4-mini': 'functools[{"name": "get_order", "arguments": {"id": "A-17"}}]',
  'Cohere Command A': `<|START_ACTION|>[{"tool_call_id": "0", "tool_name": "get_order", "parameters": {"id": "A-17"}}]<|END_ACTION|>`,
  'Cohere Command R': 'Action: ```json\n[{"tool_name": "get_order", "parameters": {"id": "A-17"}}]\n```',
  LFM: '<|tool_call_start|>[get_order(id="A-17")]<|tool_call_end|>',
  InternLM: `<|action_start|><|plugin|>\n${JSON_CALL}<|action_end|>`,
  Apertus: '<|tools_prefix|>[{"get_order": {"id": "A-17"}}]<|tools_suffix|>',
  Olmo: '<function_calls>\nget_order(id="A-17")\n</function_calls>',
  'Functionary 3': '>>>get_order\n{"id": "A-17"}',
  'Functionary 2': '<|from|>assistant\n<|recipient|>get_order\n<|content|>{"id": "A-17"}',
  FunctionGemma: '<start_function_call>call:get_order{id:<escape>A-17<escape>}<end_function_call>',
  'Gemma 4': '<|tool_call>call:get_order{id:<|"|>A-17<|"|>}<tool_call|>',
  'Gemini, in a fence': '```tool_code\nprint(default_api.get_order(id="A-17"))\n```',
  'Gemini, as code': 'print(default_api.get_order(id="A-17"))',
  'Gemini, as a call': 'call:default_api:get_order{id:A-17}',
}

/** The same call in an answer that is about calls, or holds one in a longer text. */
export const CALL_MENTIONS: readonly ((call: string) => string)[] = [
  call => `This model writes its calls like this:\n\n\`\`\`\n${call}\n\`\`\`\n\nThe server reads them.`,
  call => `\`\`\`xml\n${call}\n\`\`\``,
  call => `A call is written in its own format, for example:\n${call}`,
  call =>
    `${'The server reads the calls of a model and runs the tools that they name. '.repeat(20)}\n${call}\n${'What a tool returns goes back to the model. '.repeat(20)}`,
  call => `The text “${call.replaceAll('\n', ' ')}” was found in the log of the server.`,
]
