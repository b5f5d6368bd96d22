import CaptureProtocol
import Foundation
import Messaging
import Models
import NIOSSL
import Secrets
import ServiceRuntime
import Site
import TransparencyLog

/// The environment variables of `gateway`, read once at start.
struct Settings: EnvironmentSettings {
    let common: ServiceSettings
    /// For the topics that only wake waiters. Starts at the latest offset by default: older records have no waiters here.
    let wakeKafka: KafkaConfiguration
    /// Without a trailing slash.
    let publicURL: String
    /// At least 32 bytes.
    let linkKey: Secret<[UInt8]>
    let host: String
    let port: Int
    /// `nil` for plain HTTP, which a proxy then protects.
    let tls: TLSConfiguration?
    let trustedProxies: [AddressRange]
    let publicStorageEndpoint: URL?
    let idleTimeoutSeconds: Int
    /// How long the gateway keeps serving, unready, after it was asked to shut down.
    let drain: Duration
    let uploadLimits: PermitLedger.Limits
    let mediaLimits: PermitLedger.Limits
    let limits: RateLimits
    let verification: VerificationSettings
    let site: SiteSettings
    /// `nil` if none is set.
    let logPolicy: TrustPolicy?

    init(_ environment: ServiceEnvironment) throws {
        common = try ServiceSettings(environment, service: .gateway)
        wakeKafka = try Self.wakeKafka(environment, common.kafka)
        let url = try environment.requiredURL("RIAL_PUBLIC_URL").absoluteString
        publicURL = url.hasSuffix("/") ? String(url.dropLast()) : url
        linkKey = try Self.key(environment, "RIAL_LINK_KEY")
        host = try environment.optional("RIAL_HTTP_HOST") ?? "0.0.0.0"
        port = try environment.integer("RIAL_HTTP_PORT", default: 8080, in: 1...65535)
        tls = try Self.tls(environment)
        trustedProxies = try environment.list("RIAL_TRUSTED_PROXIES").map { text in
            guard let range = AddressRange(text) else {
                throw SettingsError("RIAL_TRUSTED_PROXIES", "must be addresses or CIDR ranges, comma separated, not “\(text)”")
            }
            return range
        }
        publicStorageEndpoint = try environment.url("RIAL_S3_PUBLIC_ENDPOINT")
        idleTimeoutSeconds = try environment.integer("RIAL_HTTP_IDLE_TIMEOUT_SECONDS", default: 30, in: 1...3600)
        drain = .seconds(try environment.integer("RIAL_DRAIN_SECONDS", default: 0, in: 0...120))
        let uploads = try environment.integer("RIAL_MAX_CONCURRENT_UPLOADS", default: 32, in: 1...10_000)
        uploadLimits = PermitLedger.Limits(
            total: uploads, perAddress: try environment.integer("RIAL_MAX_UPLOADS_PER_ADDRESS", default: 8, in: 0...10_000),
            perDevice: try environment.integer("RIAL_MAX_UPLOADS_PER_DEVICE", default: 3, in: 0...10_000), reserved: uploads / 2)
        mediaLimits = PermitLedger.Limits(
            total: try environment.integer("RIAL_MAX_CONCURRENT_MEDIA", default: 48, in: 1...StorageConnections.perPurpose * 3 / 4),
            perAddress: try environment.integer("RIAL_MAX_MEDIA_PER_ADDRESS", default: 16, in: 0...10_000))
        limits = try RateLimits(environment)
        verification = try VerificationSettings(environment)
        site = try SiteSettings(environment, publicURL: publicURL, mediaEndpoint: publicStorageEndpoint)
        logPolicy = try environment.policy("RIAL_LOG_POLICY") { try TrustPolicy($0) }
    }

    private static func wakeKafka(_ environment: ServiceEnvironment, _ kafka: KafkaConfiguration) throws -> KafkaConfiguration {
        var kafka = kafka
        kafka.offsetReset = try environment.choice("RIAL_KAFKA_WAKE_OFFSET", KafkaConfiguration.OffsetReset.self, default: .latest)
        return kafka
    }

    private static func key(_ environment: ServiceEnvironment, _ name: String) throws -> Secret<[UInt8]> {
        let text = try environment.required(name)
        guard let bytes = Hex.decode(text) ?? Base64.decode(text), bytes.count >= 32 else {
            throw SettingsError(name, "must be at least 32 bytes in hex or base64")
        }
        return Secret(bytes)
    }

    /// TLS 1.3 with the certificate and key of the two files.
    static func tls(_ environment: ServiceEnvironment) throws -> TLSConfiguration? {
        let (certificate, key) = (try environment.optional("RIAL_TLS_CERTIFICATE"), try environment.optional("RIAL_TLS_KEY"))
        guard certificate != nil || key != nil else { return nil }
        guard let certificate else { throw SettingsError("RIAL_TLS_CERTIFICATE", "is not set, but RIAL_TLS_KEY is") }
        guard let key else { throw SettingsError("RIAL_TLS_KEY", "is not set, but RIAL_TLS_CERTIFICATE is") }
        guard let chain = try? NIOSSLCertificate.fromPEMFile(certificate), !chain.isEmpty else {
            throw SettingsError("RIAL_TLS_CERTIFICATE", "names a file that is not there or has no certificate in PEM: \(certificate)")
        }
        guard let privateKey = try? NIOSSLPrivateKey(file: key, format: .pem) else {
            throw SettingsError("RIAL_TLS_KEY", "names a file that is not there or has no private key in PEM: \(key)")
        }
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(privateKey))
        configuration.minimumTLSVersion = .tlsv13
        guard (try? NIOSSLContext(configuration: configuration)) != nil else {
            throw SettingsError("RIAL_TLS_KEY", "is not the key of the certificate that RIAL_TLS_CERTIFICATE names")
        }
        return configuration
    }
}
