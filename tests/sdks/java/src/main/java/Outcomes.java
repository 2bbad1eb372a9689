import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import service.ApiClient;
import service.ApiException;

/** Gets every error of the document from a sandbox. The body is thrown as a text, read as the model of its status. */
public class Outcomes {
  private static final ObjectMapper json = ApiClient.createDefaultObjectMapper();

  public static void main(String[] arguments) throws Exception {
    var client = new ApiClient(HttpClient.newBuilder(), json, System.getenv("BASE_URL"));
    var entered = 0;
    for (JsonNode call : json.readTree(new File(System.getenv("CALLS")))) {
      var api = Class.forName("service.api." + pascal(call.get("tag").asText()) + "Api")
          .getConstructor(ApiClient.class)
          .newInstance(client);
      var method = methodOf(api, call.get("operationId").asText());
      for (JsonNode error : call.get("errors")) {
        enter(api, method, call, error);
        entered++;
      }
    }
    System.out.println("entered " + entered + " outcomes");
  }

  private static void enter(Object api, Method method, JsonNode call, JsonNode error) throws Exception {
    var place = method.getName() + " " + error.get("status") + " " + error.get("example");
    try {
      method.invoke(api, givenTo(method, call, Map.of("Prefer", error.get("prefer").asText())));
    } catch (InvocationTargetException thrown) {
      if (!(thrown.getCause() instanceof ApiException refused) || refused.getResponseBody() == null)
        throw new AssertionError(place, thrown.getCause());
      var model = pascal(error.get("code").asText().replaceFirst("_ERROR$", "")) + "ErrorBody";
      var body = json.readValue(refused.getResponseBody(), Class.forName("service.model." + model));
      JsonNode met = json.valueToTree(body);
      if (refused.getCode() != error.get("status").asInt()) throw new AssertionError(place + ": " + refused.getCode());
      if (!met.get("code").equals(error.get("code"))) throw new AssertionError(place + ": " + met);
      if (!met.get("message").equals(error.get("body").get("message"))) throw new AssertionError(place + ": " + met);
      return;
    }
    throw new AssertionError(place + ": it succeeded");
  }

  /** The variant that takes headers too. */
  private static Method methodOf(Object api, String name) {
    return Arrays.stream(api.getClass().getMethods())
        .filter(method -> method.getName().equals(name))
        .max(Comparator.comparingInt(Method::getParameterCount))
        .orElseThrow(() -> new AssertionError("No " + name));
  }

  /** What is required comes first, the body behind parameters. */
  private static Object[] givenTo(Method method, JsonNode call, Map<String, String> headers) throws Exception {
    var required = new ArrayList<JsonNode>();
    var optional = new ArrayList<JsonNode>();
    for (JsonNode one : call.get("parameters"))
      (one.get("isRequired").asBoolean() ? required : optional).add(one.get("value"));
    if (call.has("contentType")) (call.get("isBodyRequired").asBoolean() ? required : optional).add(call.get("body"));
    var values = Stream.concat(required.stream(), optional.stream()).toList();
    var types = method.getGenericParameterTypes();
    var given = new Object[values.size() + 1];
    for (int place = 0; place < values.size(); place++) given[place] = valueOf(values.get(place), types[place]);
    given[values.size()] = headers;
    return given;
  }

  private static Object valueOf(JsonNode value, Type type) throws Exception {
    if (value == null) return null;
    if (type != File.class) return json.convertValue(value, json.getTypeFactory().constructType(type));
    var file = Files.createTempFile("outcome", ".txt");
    return Files.writeString(file, value.asText()).toFile();
  }

  private static String pascal(String words) {
    return Arrays.stream(words.split("[ _-]"))
        .map(word -> word.substring(0, 1).toUpperCase() + word.substring(1).toLowerCase())
        .collect(Collectors.joining());
  }
}
