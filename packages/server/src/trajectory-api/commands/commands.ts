import { isExceeded, pushPacked, pushPlain, settleReceipt } from './accept-commands.ts';
import { batchCommands } from './batch-commands.ts';
import type { CommandContext } from './command.ts';
import { disconnectEnvironment, registerEnvironment, registerTrainer, reset } from './registration-commands.ts';
import { viewCommands } from './view-commands.ts';

/**
 * All that is asked of a run, by name. What goes in and comes out is JSON: the server that was called and the one that owns the run
 * need not be the same. Each may be asked twice, because an owner that dies after its commit answers nobody.
 */
export const COMMANDS = {
  pushPacked,
  pushPlain,
  settleReceipt,
  isExceeded,
  registerTrainer,
  registerEnvironment,
  disconnectEnvironment,
  reset,
  ...batchCommands,
  ...viewCommands,
};

export type CommandName = keyof typeof COMMANDS;
/** What a command takes; `{}` where it takes nothing. */
export type CommandInput<Name extends CommandName> =
  Parameters<(typeof COMMANDS)[Name]> extends [CommandContext, infer Input] ? Input : Record<string, never>;
export type CommandOutput<Name extends CommandName> = Awaited<ReturnType<(typeof COMMANDS)[Name]>>;

export const isCommandName = (name: string): name is CommandName => Object.hasOwn(COMMANDS, name);

/** Decides a command where the run is. */
export function decide<Name extends CommandName>(
  context: CommandContext,
  name: Name,
  input: CommandInput<Name>,
): Promise<CommandOutput<Name>> {
  // The name says which input and output belong together; the compiler does not follow a name through a table.
  const command = COMMANDS[name] as unknown as (
    context: CommandContext,
    input: CommandInput<Name>,
  ) => Promise<CommandOutput<Name>>;
  return command(context, input);
}
