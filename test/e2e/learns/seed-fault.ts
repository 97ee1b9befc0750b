import { replaceSource } from '../../kit/replace-source.ts';
import { FAULT_VARIABLE, FAULTS, FAULTY_FILE } from './faults.ts';
import type { FaultName } from './faults.ts';

/** `node --import seed-fault.ts`: a process of its own in which one file of the trainer has a fault. */
const name = process.env[FAULT_VARIABLE] as FaultName | undefined;

if (name !== undefined) replaceSource({ name, file: FAULTY_FILE, ...FAULTS[name] });
