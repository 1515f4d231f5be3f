import { BaseSequencer, type TestSpecification } from 'vitest/node'

const slowFolders = ['proof', 'hostile', 'faults', 'flows/chain', 'acceptance', 'properties']

/** Runs slow files first, so that none starts last. A fresh clone has no recorded durations to sort by. */
export class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rankOf = ({ moduleId }: TestSpecification) => {
      const rank = slowFolders.findIndex((folder) => moduleId.includes(`/test/${folder}/`))
      return rank === -1 ? slowFolders.length : rank
    }
    return (await super.sort(files)).sort((a, b) => rankOf(a) - rankOf(b))
  }
}
