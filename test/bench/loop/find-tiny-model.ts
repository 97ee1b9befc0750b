import { ensureTinyModel } from '@lachesis/tinker/engine';

import { findPeerHome } from '../../peers/engine/peer-home.ts';

/** The folder of the tiny model; both sides load its tokenizer. */
export const findTinyModel = (): Promise<string> => ensureTinyModel({ home: findPeerHome() });
