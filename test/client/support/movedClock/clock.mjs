// Moves the clock of a program by the milliseconds in the file that CLOCK_FILE names (`node --import`).
import { readFileSync } from 'node:fs';

const { now } = Date;
Date.now = () => now() + Number(readFileSync(process.env.CLOCK_FILE, 'utf8'));
