# frozen_string_literal: true

require 'json'
require 'tempfile'
require 'uri'
require 'service'

# Gets every error of the document from a sandbox. The generator raises the body as a text, which is read as the model
# of its status.

address = URI(ENV.fetch('BASE_URL'))
config = Service::Configuration.new
config.scheme = address.scheme
config.host = "#{address.host}:#{address.port}"
config.server_index = nil
config.access_token = 'any'
client = Service::ApiClient.new(config)

def snake(name)
  name.gsub(/(?<=[a-z0-9])([A-Z])/, '_\1').tr('-', '_').downcase
end

def body_of(call)
  return call['body'] unless call['body'].is_a?(String)

  Tempfile.new('outcome').tap { |file| file.write(call['body']) && file.rewind }
end

# Required parameters and the body come in order, the others by name.
def send_call(client, call)
  api = Service.const_get("#{call['tag'].split(/[ -]/).map(&:capitalize).join}Api").new(client)
  required, others = call['parameters'].partition { |one| one['isRequired'] }
  given = required.map { |one| one['value'] }
  named = others.select { |one| one.key?('value') }.to_h { |one| [snake(one['name']).to_sym, one['value']] }
  if call['isBodyRequired']
    given << body_of(call)
  elsif call['contentType']
    named[snake(call['bodyName']).to_sym] = body_of(call)
  end
  api.public_send(snake(call['operationId']), *given, named)
end

entered = 0
JSON.parse(File.read(ENV.fetch('CALLS'))).each do |call|
  call['errors'].each do |error|
    client.default_headers['Prefer'] = error['prefer']
    place = "#{call['operationId']} #{error['status']} #{error['example']}"
    begin
      send_call(client, call)
      raise "#{place}: it succeeded"
    rescue Service::ApiError => e
      words = error['code'].delete_suffix('_ERROR').split('_').map(&:capitalize).join
      body = Service.const_get("#{words}ErrorBody").build_from_hash(JSON.parse(e.response_body, symbolize_names: true))
      met = [e.code, body.code, body.message, body.issues.map(&:code)]
      expected = [error['status'], error['code'], error['body']['message'], error['body']['issues'].map { |i| i['code'] }]
      raise "#{place}: #{met}" unless met == expected
    end
    entered += 1
  end
end
puts "entered #{entered} outcomes"
