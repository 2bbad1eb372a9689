# frozen_string_literal: true

require 'json'
require 'time'
require 'uri'
require 'service'

# What it sends loses the nulls of lists otherwise.
module NullsOfLists
  def _to_hash(value)
    value.is_a?(Array) ? value.map { |each| _to_hash(each) } : super
  end
end
Service::ApiModelBase.prepend(NullsOfLists)

def connect(token)
  config = Service::Configuration.new
  address = URI(ENV.fetch('BASE_URL'))
  config.scheme = address.scheme
  config.host = "#{address.host}:#{address.port}"
  config.server_index = nil
  config.access_token = ENV.fetch(token)
  Service::ApiClient.new(config)
end

def read(path)
  JSON.parse(File.read(ENV.fetch(path)), symbolize_names: true)
end

# What a document has in common with every answer that holds it.
def flow_of(document)
  document = JSON.parse(JSON.generate(document.respond_to?(:to_hash) ? document.to_hash : document))
  %w[groups events edges variables theme settings].map { |name| [name, document[name]] }
end

# The body of an answer that was expected to be an error.
def refusal(status)
  yield
  raise "expected #{status}"
rescue Service::ApiError => e
  check(e.code == status)
  JSON.parse(e.response_body)
end

def check(fact)
  raise 'The story went another way' unless fact
end

api = connect('TOKEN')
bots = Service::BotsApi.new(api)
folders = Service::FoldersApi.new(api)
publishing = Service::PublishingApi.new(api)
results = Service::ResultsApi.new(api)
workspaces = Service::WorkspacesApi.new(api)
current = read('CURRENT_DOCUMENT')
legacy = read('LEGACY_DOCUMENT')

workspace = workspaces.create_workspace(Service::WorkspaceCreate.new(name: 'Acme')).workspace
check([workspace.name, workspace.plan, workspace.settings] == ['Acme', 'FREE', nil])
puts 'create a workspace'

new_folder = Service::FolderCreate.new(name: 'Quotes')
folder = folders.create_folder(Service::CreateFolderBody.new(workspace_id: workspace.id, folder: new_folder)).folder
puts 'create a folder'

new_bot = Service::BotCreate.build_from_hash(current.merge(folderId: folder.id))
bot = bots.create_bot(Service::CreateBotBody.new(workspace_id: workspace.id, bot: new_bot)).bot
check(bot.is_a?(Service::BotV61) && bot.folder_id == folder.id)
check(flow_of(bot) == flow_of(current))
puts 'create a bot from a document'

# A time would be sent as Ruby prints it, which is no time of JSON.
read_at = bot.updated_at.iso8601(3)
rename = Service::BotUpdateV61.new(version: '6.1', name: 'Quote', updated_at: read_at)
renamed = bots.update_bot(bot.id, Service::UpdateBotBody.new(bot: rename)).bot
check(renamed.name == 'Quote' && flow_of(renamed) == flow_of(current))
puts 'update in current shape'

late = refusal(409) { bots.update_bot(bot.id, Service::UpdateBotBody.new(bot: rename)) }
check(late['code'] == 'CONFLICT')
puts 'meet a 409'

in_legacy_shape = Service::BotUpdateV5.build_from_hash(legacy)
converted = bots.update_bot(bot.id, Service::UpdateBotBody.new(bot: in_legacy_shape)).bot
check(converted.is_a?(Service::BotV5) && flow_of(converted) == flow_of(legacy))
puts 'update in legacy shape'

check(publishing.publish_bot(bot.id).message == 'success')
puts 'publish'

live = publishing.get_published_bot(bot.id).published_bot
check(live.is_a?(Service::PublishedBotV5) && live.bot_id == bot.id)
check(flow_of(live) == flow_of(legacy))
puts 'read the published bot'

# Its own check would refuse the name before it is sent.
nameless = refusal(400) { workspaces.create_workspace({ name: '' }) }
check(nameless['code'] == 'BAD_REQUEST' && nameless['issues'][0]['path'] == %w[body name])
puts 'meet a 400'

refused = refusal(403) { Service::PublishingApi.new(connect('GUEST_TOKEN')).publish_bot(bot.id) }
check(refused['code'] == 'FORBIDDEN')
puts 'meet a 403'

check(refusal(404) { bots.get_bot('unknown') }['code'] == 'NOT_FOUND')
puts 'meet a 404'

found = []
cursor = nil
loop do
  page = results.list_results(ENV.fetch('ANSWERED_BOT_ID'), { limit: 2, cursor: cursor }.compact)
  found.concat(page.results.map(&:id))
  cursor = page.next_cursor
  break if cursor.nil?
end
check(found == ENV.fetch('RESULT_IDS').split(','))
puts 'page through results'

bots.delete_bot(bot.id)
refusal(404) { bots.get_bot(bot.id) }
folders.delete_folder(folder.id)
check(workspaces.delete_workspace(workspace.id).message == 'Workspace deleted')
puts 'delete'
