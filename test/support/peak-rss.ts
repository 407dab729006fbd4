/** Loaded into a child with `--import`: writes the largest resident set of its life, in kilobytes, to the file that PEAK_RSS_FILE names. */
import { writeFileSync } from 'node:fs';

const file = process.env.PEAK_RSS_FILE;
if (file !== undefined) process.on('exit', () => writeFileSync(file, String(process.resourceUsage().maxRSS)));
