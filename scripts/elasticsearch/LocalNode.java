import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import org.elasticsearch.common.logging.LogConfigurator;
import org.elasticsearch.common.settings.Settings;
import org.elasticsearch.env.Environment;
import org.elasticsearch.node.InternalSettingsPreparer;
import org.elasticsearch.node.Node;
import org.elasticsearch.plugins.PluginsLoader;

/** One real Elasticsearch node in this JVM: {@code LocalNode HOME key=value…}. Ends with SIGTERM. */
public class LocalNode {
    public static void main(String[] args) throws Exception {
        Path home = Path.of(args[0]).toAbsolutePath();
        Environment environment = environment(home, settings(home, args));
        Node node = new Node(environment, plugins(environment));
        Runtime.getRuntime().addShutdownHook(new Thread(() -> close(node)));
        node.start();
        Thread.currentThread().join();
    }

    private static Settings settings(Path home, String[] args) {
        Settings.Builder settings = Settings.builder().put("path.home", home.toString());
        for (String pair : Arrays.asList(args).subList(1, args.length)) {
            String[] parts = pair.split("=", 2);
            settings.put(parts[0], parts[1]);
        }
        return settings.build();
    }

    /** Logging comes first: classes that log while they are loaded would fix the wrong configuration. */
    private static Environment environment(Path home, Settings settings) throws Exception {
        String name = settings.get("node.name");
        LogConfigurator.setNodeName(name);
        LogConfigurator.configureESLogging();
        Environment environment = InternalSettingsPreparer.prepareEnvironment(settings, Map.of(), home.resolve("config"), () -> name);
        LogConfigurator.configure(environment, true);
        return environment;
    }

    private static PluginsLoader plugins(Environment environment) {
        return PluginsLoader.createPluginsLoader(
            PluginsLoader.loadModulesBundles(environment.modulesDir()),
            PluginsLoader.loadPluginsBundles(environment.pluginsDir()),
            Map.of(),
            false
        );
    }

    private static void close(Node node) {
        try {
            node.close();
        } catch (Exception failure) {
            failure.printStackTrace();
        }
    }
}
