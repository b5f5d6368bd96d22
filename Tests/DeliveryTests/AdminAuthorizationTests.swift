import HTTPTypes
import Models
import Testing

@testable import ServiceRuntime

@Suite("Operators at the admin port")
struct AdminAuthorizationTests {
    private static let token = "0123456789abcdef"
    private let guardian = AdminAuthorization(token: token)

    @Test("the token lets in, whatever the case of the scheme", arguments: ["Bearer", "bearer", "BEARER"])
    func accepted(scheme: String) { #expect(guardian.refusal([.authorization: "\(scheme) \(Self.token)"]) == nil) }

    @Test(
        "nothing else does",
        arguments: [
            nil, "", "Bearer", "Bearer ", "Bearer 0123456789abcde", "Bearer 0123456789abcdef0", "Bearer 0123456789ABCDEF",
            "0123456789abcdef",
            "Basic 0123456789abcdef", "Bearer  0123456789abcdef", "Bearer x, Bearer 0123456789abcdef",
        ])
    func refused(value: String?) {
        var headers = HTTPFields()
        headers[.authorization] = value
        #expect(guardian.refusal(headers) == .unauthorized)
    }

    @Test("a browser's page never gets an answer, the right token or not")
    func browsers() throws {
        let site = try #require(HTTPField.Name("Sec-Fetch-Site"))
        let sound: HTTPFields = [.authorization: "Bearer \(Self.token)"]
        for (name, value) in [
            (HTTPField.Name.origin, "https://evil.example"), (.origin, "null"), (site, "cross-site"), (site, "same-origin"),
        ] {
            var headers = sound
            headers[name] = value
            #expect(guardian.refusal(headers) == .browserRefused)
        }
        #expect(AdminAuthorization(token: nil).refusal([.origin: "x"]) == .browserRefused)
    }

    @Test("without a token the routes are off")
    func off() {
        #expect(AdminAuthorization(token: nil).refusal([.authorization: "Bearer "]) == .tokenNotSet)
        #expect(AdminAuthorization(token: nil).refusal([:]) == .tokenNotSet)
    }

    private static let variables = [
        "RIAL_MODE": "development", "RIAL_DATABASE_URL": "postgresql://u:hunter2@h/d", "RIAL_KAFKA_BROKERS": "h:1",
        "RIAL_S3_ENDPOINT": "http://h", "RIAL_S3_REGION": "r", "RIAL_S3_BUCKET": "b", "RIAL_S3_ACCESS_KEY_ID": "k",
        "RIAL_S3_SECRET_ACCESS_KEY": "hunter2", "RIAL_ADMIN_PORT": "9090",
    ]

    @Test("no description of the settings contains a secret")
    func secrets() throws {
        let tracing = ["OTEL_EXPORTER_OTLP_ENDPOINT": "http://h", "OTEL_EXPORTER_OTLP_HEADERS": "authorization=Bearer%20hunter2"]
        let settings = try ServiceSettings(ServiceEnvironment(Self.variables.merging(tracing) { $1 }), service: .gateway)
        var text = "\(settings)"
        dump(settings, to: &text)
        #expect(!text.contains("hunter2") && text.contains("9090") && text.contains("authorization"))
    }

    @Test("the admin port is this machine's alone unless the setting says otherwise")
    func host() throws {
        var variables = Self.variables
        #expect(try ServiceSettings(ServiceEnvironment(variables), service: .gateway).adminHost == "127.0.0.1")
        variables["RIAL_ADMIN_HOST"] = "0.0.0.0"
        #expect(try ServiceSettings(ServiceEnvironment(variables), service: .gateway).adminHost == "0.0.0.0")
    }
    @Test(
        "a health check asks where the admin port listens",
        arguments: [
            ("", "127.0.0.1"), ("0.0.0.0", "127.0.0.1"), ("127.0.0.2", "127.0.0.2"), ("::", "[::1]"), ("fd00::7", "[fd00::7]"),
            ("gateway.internal", "gateway.internal"),
        ])
    func healthcheck(host: String, asked: String) {
        #expect(ServiceMain.ownHost(ServiceEnvironment(["RIAL_ADMIN_HOST": host])) == asked)
    }
}
