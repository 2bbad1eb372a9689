/** Lines that each story prints as it goes. */
export const story = [
  'create a workspace',
  'create a folder',
  'create a bot from a document',
  'update in current shape',
  'meet a 409',
  'update in legacy shape',
  'publish',
  'read the published bot',
  'meet a 400',
  'meet a 403',
  'meet a 404',
  'page through results',
  'delete',
]

/**
 * A generator of clients, and how its client is made and tried; or another reader of the document. Commands run in the
 * folder.
 */
export interface Sdk {
  folder: string
  language: string
  generator: string
  /** The file that pins the version of the generator, and the name that the version follows there. */
  pinned: [file: string, name: string]
  /** Commands that tell whether the languages are installed, and what is missing when they fail. */
  needs: [command: string, missing: string][]
  prepare?: string
  generate: string
  compile: string
  run: string
  /** Gets every error of the document from a sandbox, and says how many. */
  walk?: string
  /** Lines that it prints in place of the story. */
  steps?: string[]
}

const typescript = {
  language: 'TypeScript',
  needs: [],
  compile: '../node_modules/.bin/tsc --project .',
  run: 'node --import tsx story.ts',
} satisfies Partial<Sdk>

const typescriptWalk = { ...typescript, walk: 'node --import tsx outcomes.ts' }

const bundled = (name: string) =>
  `../../../node_modules/.bin/esbuild ${name}.ts --bundle --log-level=error --platform=node --packages=external --format=esm --outfile=generated/${name}.mjs && node generated/${name}.mjs`

const openapiGenerator: Sdk['needs'] = [
  ['javac -version', 'a Java development kit'],
  ['mvn --version', 'Maven'],
]

const python: Sdk['needs'] = [
  [`python3 -c 'import sys, venv; sys.exit(sys.version_info < (3, 11))'`, 'Python 3.11 or newer with venv'],
]
const pythonPackages =
  'python3 -m venv .venv && .venv/bin/pip install --quiet --disable-pip-version-check --requirement requirements.txt'

export const sdks: Sdk[] = [
  {
    ...typescript,
    folder: 'client',
    generator: 'the project itself',
    pinned: ['../../../generated/client/package.json', '"version"'],
    generate: 'mkdir generated && npm pack --silent ../../../generated/client --pack-destination generated',
    compile: [
      'npm install --silent --no-save --no-package-lock --prefix . ./generated/*.tgz',
      '../node_modules/.bin/publint --strict generated/*.tgz',
      '../node_modules/.bin/attw generated/*.tgz',
      '../node_modules/.bin/tsc --project .',
    ].join(' && '),
    run: 'node --import tsx esm.mts && node --import tsx cjs.cts',
  },
  {
    folder: 'python-package',
    language: 'Python',
    generator: 'the project itself',
    pinned: ['../../../generated/python-client/pyproject.toml', 'version ='],
    needs: python,
    prepare: pythonPackages,
    generate: [
      '.venv/bin/pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir generated ../../../generated/python-client',
      'node readme.mjs ../../../generated/python-client/README.md > generated/readme.py',
      'node --import tsx samples.ts > generated/samples.json',
    ].join(' && '),
    compile: [
      '.venv/bin/pip install --quiet --disable-pip-version-check --force-reinstall --no-deps generated/*.whl',
      '.venv/bin/mypy --strict --package bot_builder_client',
      '.venv/bin/mypy --strict story.py async_story.py test_client.py test_outcomes.py generated/readme.py',
      '.venv/bin/pyright',
    ].join(' && '),
    run: '.venv/bin/pytest --quiet -p no:cacheprovider test_client.py test_outcomes.py && .venv/bin/python generated/readme.py && .venv/bin/python story.py && .venv/bin/python async_story.py',
  },
  {
    ...typescriptWalk,
    folder: 'openapi-fetch',
    generator: 'openapi-typescript',
    pinned: ['../package.json', '"openapi-typescript"'],
    generate:
      '../node_modules/.bin/openapi-typescript ../../../openapi.yaml --default-non-nullable=false --output generated/api.ts',
  },
  {
    ...typescriptWalk,
    folder: 'hey-api',
    generator: '@hey-api/openapi-ts',
    pinned: ['../package.json', '"@hey-api/openapi-ts"'],
    generate: '../node_modules/.bin/openapi-ts',
  },
  {
    ...typescriptWalk,
    folder: 'orval',
    generator: 'orval',
    pinned: ['../package.json', '"orval"'],
    generate: '../node_modules/.bin/orval',
  },
  {
    ...typescriptWalk,
    folder: 'oazapfts',
    generator: 'oazapfts',
    pinned: ['../package.json', '"oazapfts"'],
    generate: 'mkdir generated && ../node_modules/.bin/oazapfts ../../../openapi.yaml generated/api.ts',
  },
  {
    ...typescriptWalk,
    folder: 'swagger-typescript-api',
    generator: 'swagger-typescript-api',
    pinned: ['../package.json', '"swagger-typescript-api"'],
    generate:
      '../node_modules/.bin/swagger-typescript-api generate --path ../../../openapi.yaml --output generated --name api.ts --silent',
  },
  {
    ...typescriptWalk,
    folder: 'kubb',
    generator: 'Kubb',
    pinned: ['../package.json', '"@kubb/plugin-client"'],
    generate: '../node_modules/.bin/kubb generate',
  },
  {
    ...typescriptWalk,
    folder: 'typed-openapi',
    generator: 'typed-openapi',
    pinned: ['../package.json', '"typed-openapi"'],
    generate:
      'mkdir generated && ../node_modules/.bin/typed-openapi ../../../openapi.yaml --output generated/api.ts',
  },
  {
    folder: 'python',
    language: 'Python',
    generator: 'openapi-python-client',
    pinned: ['requirements.txt', 'openapi-python-client'],
    needs: python,
    prepare: pythonPackages,
    generate:
      '.venv/bin/openapi-python-client generate --path ../../../openapi.yaml --output-path generated --meta none --config generator.yaml --overwrite',
    compile: '.venv/bin/mypy --strict story.py outcomes.py',
    run: '.venv/bin/python story.py',
    walk: '.venv/bin/python outcomes.py',
  },
  {
    folder: 'go',
    language: 'Go',
    generator: 'oapi-codegen',
    pinned: ['go.mod', 'github.com/oapi-codegen/oapi-codegen/v2 '],
    needs: [['go version', 'Go']],
    generate: 'mkdir generated && go tool oapi-codegen -config oapi-codegen.yaml ../../../openapi.yaml',
    compile: 'go vet . && go build -o build/story . && go build -o build/walk ./walk',
    run: 'build/story',
    walk: 'build/walk',
  },
  {
    folder: 'kin-openapi',
    language: 'Go',
    generator: 'kin-openapi, a validator, slim form in 3.0',
    pinned: ['go.mod', 'github.com/getkin/kin-openapi '],
    needs: [['go version', 'Go']],
    generate: 'mkdir generated',
    compile: 'go vet . && go build -o build/story .',
    run: 'build/story',
    steps: ['accept the document with its patterns and examples', 'accept what is sent and answered'],
  },
  {
    folder: 'openapi-generator-go',
    language: 'Go',
    generator: 'openapi-generator go, slim form',
    pinned: ['pom.xml', '<artifactId>openapi-generator-maven-plugin</artifactId>'],
    needs: [['go version', 'Go'], ...openapiGenerator],
    generate: 'mvn --quiet --batch-mode generate-sources',
    compile: 'go vet . ./walk && go build -o build/story . && go build -o build/walk ./walk',
    run: 'build/story',
    walk: 'build/walk',
  },
  {
    folder: 'openapi-generator-python',
    language: 'Python',
    generator: 'openapi-generator python, slim form',
    pinned: ['pom.xml', '<artifactId>openapi-generator-maven-plugin</artifactId>'],
    needs: [...python, ...openapiGenerator],
    prepare: pythonPackages,
    generate: 'mvn --quiet --batch-mode generate-sources',
    compile: 'MYPYPATH=generated .venv/bin/mypy --strict --follow-imports silent story.py outcomes.py',
    run: 'PYTHONPATH=generated .venv/bin/python story.py',
    walk: 'PYTHONPATH=generated .venv/bin/python outcomes.py',
  },
  {
    folder: 'java',
    language: 'Java',
    generator: 'openapi-generator java',
    pinned: ['pom.xml', '<artifactId>openapi-generator-maven-plugin</artifactId>'],
    needs: openapiGenerator,
    generate: 'mvn --quiet --batch-mode generate-sources',
    compile: 'rm -rf target && mvn --quiet --batch-mode compile -Dcodegen.skip=true',
    run: 'mvn --quiet --batch-mode exec:java',
    walk: 'mvn --quiet --batch-mode exec:java -Dexec.mainClass=Outcomes',
  },
  {
    ...typescriptWalk,
    folder: 'typescript-fetch',
    generator: 'openapi-generator typescript-fetch',
    pinned: ['pom.xml', '<artifactId>openapi-generator-maven-plugin</artifactId>'],
    needs: openapiGenerator,
    // It refers to a function that it does not write.
    generate: `mvn --quiet --batch-mode generate-sources && cat is-structured-message.txt >> generated/models/StructuredMessage.ts`,
  },
  {
    ...typescriptWalk,
    folder: 'typescript-axios',
    generator: 'openapi-generator typescript-axios',
    pinned: ['pom.xml', '<artifactId>openapi-generator-maven-plugin</artifactId>'],
    needs: openapiGenerator,
    generate: 'mvn --quiet --batch-mode generate-sources',
  },
  {
    ...typescriptWalk,
    folder: 'typescript-node',
    generator: 'openapi-generator typescript-node, slim form in 3.0',
    pinned: ['pom.xml', '<artifactId>openapi-generator-maven-plugin</artifactId>'],
    needs: openapiGenerator,
    generate: 'mvn --quiet --batch-mode generate-sources',
    // It refers to types as if they were values, which only tools that read all files at once can tell.
    run: bundled('story'),
    walk: bundled('outcomes'),
  },
  {
    ...typescriptWalk,
    folder: 'openapi-zod-client',
    generator: 'openapi-zod-client, untagged form',
    pinned: ['../package.json', '"openapi-zod-client"'],
    generate:
      'mkdir generated && ../node_modules/.bin/openapi-zod-client ../../../generated/openapi-untagged.yaml --output generated/api.ts',
  },
  {
    folder: 'ruby',
    language: 'Ruby',
    generator: 'openapi-generator ruby, slim form in 3.0',
    pinned: ['pom.xml', '<artifactId>openapi-generator-maven-plugin</artifactId>'],
    needs: [[`ruby -e 'require "typhoeus"'`, 'Ruby with the gem typhoeus'], ...openapiGenerator],
    generate: 'mvn --quiet --batch-mode generate-sources',
    compile: 'ruby -c story.rb && ruby -c outcomes.rb',
    run: 'ruby -I generated/lib story.rb',
    walk: 'ruby -I generated/lib outcomes.rb',
  },
  {
    folder: 'php',
    language: 'PHP',
    generator: 'openapi-generator php, slim form',
    pinned: ['pom.xml', '<artifactId>openapi-generator-maven-plugin</artifactId>'],
    needs: [
      [
        `php -r 'require "GuzzleHttp/autoload.php";'`,
        'PHP with Guzzle on its include path (php-guzzlehttp-guzzle of Debian)',
      ],
      ...openapiGenerator,
    ],
    generate: 'mvn --quiet --batch-mode generate-sources',
    compile: `find generated/lib story.php outcomes.php -name '*.php' -print0 | xargs -0 -n 1 php -l > /dev/null`,
    run: 'php story.php',
    walk: 'php outcomes.php',
  },
  {
    folder: 'rust',
    language: 'Rust',
    generator: 'openapi-generator rust',
    pinned: ['pom.xml', '<artifactId>openapi-generator-maven-plugin</artifactId>'],
    needs: [['cargo --version', 'Rust'], ...openapiGenerator],
    generate:
      'mvn --quiet --batch-mode generate-sources && node --import tsx operations.ts > generated/operations.rs',
    compile: 'cargo build --quiet',
    run: 'target/debug/story',
    walk: 'target/debug/walk',
  },
  {
    ...typescript,
    folder: 'prism',
    generator: 'Prism, a mock of the service',
    pinned: ['../package.json', '"@stoplight/prism-cli"'],
    generate: 'mkdir generated',
    steps: ['start from the document', 'answer every read with an example of it'],
  },
  {
    ...typescript,
    folder: 'postman',
    generator: 'openapi-to-postmanv2',
    pinned: ['../package.json', '"openapi-to-postmanv2"'],
    generate:
      'mkdir generated && ../node_modules/.bin/openapi2postmanv2 --spec ../../../openapi.yaml --output generated/collection.json',
    steps: ['have a request for every operation', 'have an answer for every request'],
  },
  {
    ...typescript,
    folder: 'bruno',
    generator: '@usebruno/converters, an importer',
    pinned: ['../package.json', '"@usebruno/converters"'],
    generate: 'mkdir generated',
    steps: [
      'have a request for every operation',
      'send no optional header and no cursor',
      'send no null that nobody filled in',
      'send requests as they come',
    ],
  },
  {
    folder: 'openapi-core',
    language: 'Python',
    generator: 'openapi-core, a validator, untagged form',
    pinned: ['requirements.txt', 'openapi-core'],
    needs: python,
    prepare: pythonPackages,
    generate: 'mkdir generated',
    compile: '.venv/bin/python -m py_compile story.py',
    run: '.venv/bin/python story.py',
    steps: ['accept the document', 'accept what is read', 'accept unknown blocks, sent and answered'],
  },
]
