import type { AgentTool } from '../agent-tool.ts';
import { executeCodeTool } from './execute-code-tool.ts';
import { patchTool, readFileTool, writeFileTool } from './file-tools.ts';
import { processTool } from './process-tool.ts';
import { searchFilesTool } from './search-files-tool.ts';
import { terminalTool } from './terminal-tool.ts';

/** The tools that work in the sandbox of an agent, by the names of their toolsets. */
export const SANDBOX_TOOLSETS: Readonly<Record<'terminal' | 'file' | 'code_execution', readonly AgentTool[]>> =
  Object.freeze({
    terminal: [terminalTool, processTool],
    file: [readFileTool, writeFileTool, patchTool, searchFilesTool],
    code_execution: [executeCodeTool],
  });
