import { BaseSequencer, type TestSpecification } from 'vitest/node'

const longest = ['proof', 'hostile', 'faults', 'flows/chain', 'acceptance', 'properties']

/** What takes long begins first, so that no worker is left alone with it; a fresh clone knows no times to go by. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const placeOf = ({ moduleId }: TestSpecification) => {
      const place = longest.findIndex((folder) => moduleId.includes(`/test/${folder}/`))
      return place === -1 ? longest.length : place
    }
    return (await super.sort(files)).sort((a, b) => placeOf(a) - placeOf(b))
  }
}
