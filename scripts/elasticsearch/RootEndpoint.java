package local;

import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.elasticsearch.Build;
import org.elasticsearch.client.internal.node.NodeClient;
import org.elasticsearch.cluster.ClusterState;
import org.elasticsearch.cluster.metadata.IndexNameExpressionResolver;
import org.elasticsearch.cluster.node.DiscoveryNodes;
import org.elasticsearch.cluster.service.ClusterService;
import org.elasticsearch.common.io.stream.NamedWriteableRegistry;
import org.elasticsearch.common.settings.ClusterSettings;
import org.elasticsearch.common.settings.IndexScopedSettings;
import org.elasticsearch.common.settings.Settings;
import org.elasticsearch.common.settings.SettingsFilter;
import org.elasticsearch.features.NodeFeature;
import org.elasticsearch.plugins.ActionPlugin;
import org.elasticsearch.plugins.Plugin;
import org.elasticsearch.rest.BaseRestHandler;
import org.elasticsearch.rest.RestController;
import org.elasticsearch.rest.RestHandler;
import org.elasticsearch.rest.RestRequest;
import org.elasticsearch.rest.RestResponse;
import org.elasticsearch.rest.RestStatus;
import org.elasticsearch.xcontent.XContentBuilder;

/** Answers {@code GET /}, which clients ask first; the module that does it in a full distribution is not published. */
public class RootEndpoint extends Plugin implements ActionPlugin {
    private volatile ClusterService clusterService;

    @Override
    public Collection<?> createComponents(PluginServices services) {
        clusterService = services.clusterService();
        return List.of();
    }

    @Override
    public Collection<RestHandler> getRestHandlers(
        Settings settings,
        NamedWriteableRegistry namedWriteableRegistry,
        RestController restController,
        ClusterSettings clusterSettings,
        IndexScopedSettings indexScopedSettings,
        SettingsFilter settingsFilter,
        IndexNameExpressionResolver resolver,
        Supplier<DiscoveryNodes> nodes,
        Predicate<NodeFeature> features
    ) {
        return List.of(new RootAction());
    }

    private class RootAction extends BaseRestHandler {
        @Override
        public String getName() {
            return "main_action";
        }

        @Override
        public List<Route> routes() {
            return List.of(new Route(RestRequest.Method.GET, "/"), new Route(RestRequest.Method.HEAD, "/"));
        }

        @Override
        protected RestChannelConsumer prepareRequest(RestRequest request, NodeClient client) {
            return channel -> {
                XContentBuilder body = channel.newBuilder();
                describe(body, clusterService.state());
                channel.sendResponse(new RestResponse(RestStatus.OK, body));
            };
        }

        private void describe(XContentBuilder body, ClusterState state) throws IOException {
            body.startObject();
            body.field("name", state.nodes().getLocalNode().getName());
            body.field("cluster_name", state.getClusterName().value());
            body.field("cluster_uuid", state.metadata().clusterUUID());
            body.startObject("version");
            body.field("number", Build.current().version());
            body.field("build_flavor", "default");
            body.field("build_type", "tar");
            body.field("lucene_version", org.apache.lucene.util.Version.LATEST.toString());
            body.field("minimum_wire_compatibility_version", Build.current().minWireCompatVersion());
            body.field("minimum_index_compatibility_version", Build.current().minIndexCompatVersion());
            body.endObject();
            body.field("tagline", "You Know, for Search");
            body.endObject();
        }
    }
}
