// Runs before each file of tests: files share a process, and what it counts by itself is of one installation.

import { forgetBuckets } from '../../shared/redis/rate.ts'

forgetBuckets()
