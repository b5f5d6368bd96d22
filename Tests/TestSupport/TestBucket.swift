import AsyncHTTPClient
import Foundation
import Logging
public import Metrics
public import ObjectStorage
import Secrets

/// A bucket in the object store that `RIAL_TEST_S3_ENDPOINT` names.
public enum TestBucket {
    private static let environment = ProcessInfo.processInfo.environment
    public static let isConfigured = environment["RIAL_TEST_S3_ENDPOINT"] != nil

    /// Thrown if no store is configured.
    public struct NotConfigured: Error {}

    /// - Parameters:
    ///   - endpoint: another store's endpoint, if not the configured one.
    ///   - secret: a wrong secret key, if not the configured one.
    public static func configuration(
        _ bucket: String, endpoint: String? = nil, secret: String? = nil
    ) throws -> S3Configuration {
        guard let url = (endpoint ?? environment["RIAL_TEST_S3_ENDPOINT"]).flatMap(URL.init(string:)) else { throw NotConfigured() }
        return S3Configuration(
            endpoint: url, region: "us-east-1", bucket: bucket, accessKeyID: environment["RIAL_TEST_S3_ACCESS_KEY_ID"] ?? "",
            secretAccessKey: Secret(secret ?? environment["RIAL_TEST_S3_SECRET_ACCESS_KEY"] ?? ""))
    }

    /// - Parameter metrics: counts the bytes sent and received.
    public static func client(_ configuration: S3Configuration, metrics: any MetricsFactory = MetricsSystem.factory) -> S3Client {
        S3Client(configuration: configuration, httpClient: .shared, logger: Logger(label: "tests"), metrics: metrics)
    }
}
