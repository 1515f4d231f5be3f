import { afterAll } from 'vitest'
import { dropCreatedDatabases } from '../service.ts'

afterAll(dropCreatedDatabases)
