// swift-tools-version: 6.2
import PackageDescription

let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let x509 = Target.Dependency.product(name: "X509", package: "swift-certificates")
let asn1 = Target.Dependency.product(name: "SwiftASN1", package: "swift-asn1")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let loggingTests = Target.Dependency.product(name: "InMemoryLogging", package: "swift-log")
let metrics = Target.Dependency.product(name: "Metrics", package: "swift-metrics")
let coreMetrics = Target.Dependency.product(name: "CoreMetrics", package: "swift-metrics")
let metricsTests = Target.Dependency.product(name: "MetricsTestKit", package: "swift-metrics")
let lifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let lifecycleTests = Target.Dependency.product(name: "ServiceLifecycleTestKit", package: "swift-service-lifecycle")
let unixSignals = Target.Dependency.product(name: "UnixSignals", package: "swift-service-lifecycle")
let hummingbird = Target.Dependency.product(name: "Hummingbird", package: "hummingbird")
let hummingbirdCore = Target.Dependency.product(name: "HummingbirdCore", package: "hummingbird")
let mustache = Target.Dependency.product(name: "Mustache", package: "swift-mustache")
let hummingbirdTLS = Target.Dependency.product(name: "HummingbirdTLS", package: "hummingbird")
let httpClient = Target.Dependency.product(name: "AsyncHTTPClient", package: "async-http-client")
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioEmbedded = Target.Dependency.product(name: "NIOEmbedded", package: "swift-nio")
let nioHTTP1 = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")
let nioFoundation = Target.Dependency.product(name: "NIOFoundationCompat", package: "swift-nio")
let nioHTTPTypes = Target.Dependency.product(name: "NIOHTTPTypes", package: "swift-nio-extras")
let nioSSL = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl")
let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")

/// Programs of this checkout look first where scripts/setup.sh puts a librdkafka newer than the system's, also in a new shell;
/// anywhere else there is nothing at that place.
let broughtLibraries = LinkerSetting.unsafeFlags(
    ["-Xlinker", "-rpath", "-Xlinker", "$ORIGIN/../../../.local/tools/lib"], .when(platforms: [.linux]))

/// What counts pixels and bytes is optimised in debug builds too, and so are the tests that count them again: unoptimised it takes a
/// hundred times as long, and tests and the demo run debug builds. A module at once, so that operators of one file are inlined in the
/// others; a thread, because each file has its own object and index here.
let computing = [
    SwiftSetting.unsafeFlags(
        ["-O", "-wmo", "-num-threads", "1", "-disable-batch-mode"], .when(platforms: [.linux], configuration: .debug))
]

/// What every service stands on.
let backbone: [Target.Dependency] = [
    "CaptureProtocol", "Models", "Observability", "Persistence", "Messaging", "ObjectStorage", "MediaStore", "Delivery", "ServiceRuntime",
    "Blocking", "Secrets", logging, metrics, lifecycle,
]

let package = Package(
    name: "rial",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .executable(name: "gateway", targets: ["Gateway"]),
        .executable(name: "attestation-verifier", targets: ["AttestationVerifier"]),
        .executable(name: "depth-analyzer", targets: ["DepthAnalyzer"]),
        .executable(name: "upload-sync", targets: ["UploadSync"]),
        .executable(name: "evidence-assembler", targets: ["EvidenceAssembler"]),
        .executable(name: "transparency-log", targets: ["TransparencyLogService"]),
        .executable(name: "c2pa-inspector", targets: ["C2PAInspector"]),
        .executable(name: "video-decoder", targets: ["VideoDecoder"]),
        .executable(name: "rial", targets: ["RialCLI"]),
        .library(name: "CaptureKit", targets: ["CaptureKit"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser.git", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-asn1.git", exact: "1.7.4"),
        .package(url: "https://github.com/apple/swift-certificates.git", exact: "1.21.1"),
        .package(url: "https://github.com/apple/swift-crypto.git", exact: "4.5.2"),
        .package(url: "https://github.com/apple/swift-http-types.git", exact: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log.git", exact: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics.git", exact: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio.git", exact: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras.git", exact: "1.35.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl.git", exact: "2.37.6"),
        .package(url: "https://github.com/groue/GRDB.swift.git", exact: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", exact: "2.28.1"),
        .package(url: "https://github.com/hummingbird-project/swift-mustache.git", exact: "2.1.1"),
        .package(url: "https://github.com/swift-server/async-http-client.git", exact: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", exact: "2.13.0"),
    ],
    targets: [
        .systemLibrary(name: "CRdKafka", path: "Shared/CRdKafka", pkgConfig: "rdkafka", providers: [.apt(["librdkafka-dev"])]),
        .systemLibrary(name: "CLibPQ", path: "Shared/CLibPQ", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .systemLibrary(
            name: "CTurboJPEG", path: "Shared/CTurboJPEG", pkgConfig: "libturbojpeg", providers: [.apt(["libturbojpeg0-dev"])]),
        .systemLibrary(name: "CPNG", path: "Shared/CPNG", pkgConfig: "libpng", providers: [.apt(["libpng-dev"])]),
        .systemLibrary(name: "CPango", path: "Shared/CPango", pkgConfig: "cairo-ft", providers: [.apt(["libpango1.0-dev"])]),
        .systemLibrary(name: "CC2PA", path: "Shared/CC2PA", pkgConfig: "c2pa_c"),
        // Only its header: the module is loaded at run time.
        .systemLibrary(name: "CPKCS11", path: "Shared/CPKCS11", providers: [.apt(["libp11-kit-dev"])]),
        // Its parts under the GPL come into one program only: video-decoder.
        .systemLibrary(
            name: "CAVCodec", path: "Shared/CAVCodec", pkgConfig: "libavcodec", providers: [.apt(["libavcodec-dev", "libavutil-dev"])]),
        .systemLibrary(name: "CZlib", path: "Shared/CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CExpat", path: "Shared/CExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"])]),

        .target(name: "AreaAverage", path: "Shared/AreaAverage", swiftSettings: computing),
        .target(name: "Blocking", path: "Shared/Blocking"),
        .target(name: "Secrets", path: "Shared/Secrets"),
        .target(name: "Compression", dependencies: ["CZlib"], path: "Shared/Compression", swiftSettings: computing),
        .target(name: "CaptureProtocol", dependencies: [crypto], path: "Shared/CaptureProtocol", swiftSettings: computing),
        .target(name: "Models", dependencies: ["CaptureProtocol"], path: "Shared/Models"),
        .target(
            name: "Depth", dependencies: ["AreaAverage", "CaptureProtocol", "Models", "CZlib"], path: "Shared/Depth",
            swiftSettings: computing),
        .target(
            name: "JPEGMetadata", dependencies: ["CaptureProtocol", "Models"], path: "Shared/JPEGMetadata", swiftSettings: computing),
        .target(
            name: "VideoChain", dependencies: ["CaptureProtocol", "Depth", "Models", "Movie", crypto], path: "Shared/VideoChain",
            swiftSettings: computing),
        .target(name: "Movie", path: "Shared/Movie", swiftSettings: computing),
        .target(
            name: "Imaging", dependencies: ["CTurboJPEG", "CPNG", "JPEGMetadata"], path: "Shared/Imaging",
            swiftSettings: computing),
        .target(
            name: "ShareCard", dependencies: ["CPango", "Imaging", "JPEGMetadata", "CaptureProtocol", "Models"], path: "Shared/ShareCard",
            swiftSettings: computing),
        .target(
            name: "Persistence", dependencies: ["Blocking", "CLibPQ", "Observability", logging, lifecycle], path: "Shared/Persistence",
            resources: [.copy("Migrations")]),
        .target(
            name: "Messaging", dependencies: ["Blocking", "CRdKafka", "Secrets", logging, lifecycle], path: "Shared/Messaging",
            linkerSettings: [broughtLibraries]),
        .target(
            name: "ObjectStorage",
            dependencies: [
                "Blocking", "CExpat", "CaptureProtocol", "Models", "Observability", "Secrets", crypto, httpClient, nioCore,
                nioFoundation, nioHTTP1, logging, metrics,
            ],
            path: "Shared/ObjectStorage"),
        .target(
            name: "Attestation", dependencies: ["CaptureProtocol", "Models", crypto, x509, asn1], path: "Shared/Attestation",
            exclude: ["Roots"]),
        .target(name: "Signing", dependencies: ["CPKCS11", "CaptureProtocol", "Secrets", crypto, x509, asn1], path: "Shared/Signing"),
        .target(
            name: "ContentCredentials",
            dependencies: ["CC2PA", "CaptureProtocol", "JPEGMetadata", "ManifestStore", "Models", "Signing"],
            path: "Shared/ContentCredentials"),
        .target(name: "ManifestStore", dependencies: ["Attestation", "CaptureProtocol", crypto], path: "Shared/ManifestStore"),
        .target(
            name: "TransparencyLog", dependencies: ["CaptureProtocol", crypto, x509, asn1], path: "Shared/TransparencyLog",
            swiftSettings: computing),
        .target(name: "CSandbox", path: "Shared/CSandbox"),
        .target(name: "Inspection", dependencies: ["Blocking", "CSandbox", "CaptureProtocol", "Models"], path: "Shared/Inspection"),
        .target(
            name: "VideoDecoding", dependencies: ["CSandbox", "Inspection", metrics], path: "Shared/VideoDecoding"),
        .target(name: "Multipart", path: "Shared/Multipart", swiftSettings: computing),
        .target(
            name: "Evidence", dependencies: ["CaptureProtocol", "Models"], path: "Shared/Evidence",
            resources: [.copy("Resources")]),
        .target(
            name: "Site", dependencies: ["CaptureProtocol", "Evidence", "Models", mustache], path: "Shared/Site",
            resources: [.copy("Resources")]),
        .target(
            name: "HTTPServing", dependencies: [hummingbirdCore, hummingbirdTLS, logging, nioCore, nioSSL], path: "Shared/HTTPServing"),
        .target(
            name: "Observability", dependencies: ["HTTPServing", logging, metrics, coreMetrics, lifecycle, hummingbird],
            path: "Shared/Observability"),
        .target(
            name: "MediaStore", dependencies: ["Blocking", "CaptureProtocol", "Models", "Movie", "ObjectStorage", crypto, nioCore],
            path: "Shared/MediaStore"),
        .target(
            name: "Delivery",
            dependencies: [
                "Blocking", "CaptureProtocol", "Messaging", "Models", "ObjectStorage", "Observability", "Persistence", logging, metrics,
                lifecycle,
            ],
            path: "Shared/Delivery"),
        .target(
            name: "ServiceRuntime",
            dependencies: [
                "Blocking", "CSandbox", "CaptureProtocol", "Delivery", "Inspection", "Messaging", "Models", "ObjectStorage",
                "Observability", "Persistence", "Secrets", crypto, logging, metrics, lifecycle, unixSignals, hummingbird, httpClient,
                httpTypes, nioCore,
                nioHTTP1,
            ],
            path: "Shared/ServiceRuntime"),

        .executableTarget(
            name: "AttestationVerifier", dependencies: backbone + ["Attestation", "Movie", "VideoChain", httpTypes, hummingbird, nioCore],
            path: "Services/attestation-verifier"),
        .executableTarget(
            name: "DepthAnalyzer",
            dependencies: backbone + ["Depth", "Imaging", "Inspection", "JPEGMetadata", "Movie", "VideoChain", "VideoDecoding"],
            path: "Services/depth-analyzer"),
        .executableTarget(
            name: "UploadSync", dependencies: backbone, path: "Services/upload-sync"),
        .executableTarget(
            name: "EvidenceAssembler",
            dependencies: backbone + [
                "ContentCredentials", "Evidence", "JPEGMetadata", "ManifestStore", "Movie", "ShareCard", "Signing", "TransparencyLog",
                crypto,
                nioCore,
            ],
            path: "Services/evidence-assembler"),
        .executableTarget(
            name: "Gateway",
            dependencies: backbone + [
                "Attestation", "Compression", "Depth", "Evidence", "Inspection", "ManifestStore", "Movie", "Multipart", "Site",
                "TransparencyLog", "HTTPServing", "VideoChain", crypto, httpTypes, hummingbird, hummingbirdCore, nioCore, nioHTTP1,
                nioHTTPTypes, nioSSL,
            ],
            path: "Services/gateway"),

        .executableTarget(
            name: "TransparencyLogService", dependencies: backbone + ["Signing", "TransparencyLog", httpClient, nioCore, nioHTTP1],
            path: "Services/transparency-log"),

        .executableTarget(
            name: "C2PAInspector", dependencies: ["CaptureProtocol", "ContentCredentials", "CSandbox", "Inspection", "Models"],
            path: "Services/c2pa-inspector"),
        .executableTarget(
            name: "VideoDecoder", dependencies: ["AreaAverage", "CAVCodec", "CSandbox", "Inspection", "Movie", "VideoDecoding"],
            path: "Services/video-decoder", swiftSettings: computing),

        .target(
            name: "CaptureKit",
            dependencies: [
                "CaptureProtocol", "Compression", "Depth", "JPEGMetadata", "Models", "Movie", "VideoChain", crypto, grdb,
            ],
            path: "Clients/CaptureKit",
            exclude: ["README.md"], swiftSettings: computing),
        .target(
            name: "SimulatedDevice", dependencies: ["CaptureKit", "CaptureProtocol", crypto, x509, asn1], path: "Clients/SimulatedDevice"),
        .target(
            name: "Scene", dependencies: ["CaptureProtocol", "Compression", "Imaging", "JPEGMetadata"], path: "Clients/Scene",
            swiftSettings: computing),
        .target(
            name: "SimulatedCamera", dependencies: ["Blocking", "CaptureKit", "Movie", "Scene"], path: "Clients/SimulatedCamera",
            swiftSettings: computing),
        .target(
            name: "RialClient",
            dependencies: ["Blocking", "CaptureKit", "CaptureProtocol", "Models", crypto, httpClient, nioCore, nioHTTP1, nioSSL],
            path: "Clients/RialClient"),
        .executableTarget(
            name: "RialCLI",
            dependencies: [
                "MediaStore", "Blocking", "CaptureKit", "RialClient", "SimulatedCamera", "SimulatedDevice", "Scene", "Signing",
                "Compression", "HTTPServing", "Inspection", "Movie", "VideoChain", "VideoDecoding", "ContentCredentials", "Depth",
                "Imaging",
                "Observability", "CaptureProtocol",
                "Attestation", "Evidence", "ManifestStore", "Models", "Persistence", "Messaging", "TransparencyLog",
                "ObjectStorage",
                "Delivery",
                "ServiceRuntime", "Secrets",
                "JPEGMetadata", x509, asn1, crypto, httpClient, httpTypes, hummingbird, hummingbirdCore, nioCore, nioHTTP1, logging,
                arguments,
            ],
            path: "Clients/rial"),

        .executableTarget(
            name: "ComponentBench",
            dependencies: [
                "Attestation", "CC2PA", "CaptureKit", "CaptureProtocol", "Compression", "ContentCredentials", "Depth", "Imaging",
                "JPEGMetadata", "Models", "Movie", "Scene", "ShareCard", "Signing", "SimulatedDevice", "VideoChain", crypto,
            ],
            path: "Benchmarks/ComponentBench"),

        .target(
            name: "TestSupport",
            dependencies: [
                "CZlib", "CaptureProtocol", "Compression", "Delivery", "Messaging", "Models", "Movie", "ObjectStorage", "Persistence",
                "Secrets", "Site",
                "VideoChain", crypto, httpClient, nioCore, nioPosix, nioSSL, x509, asn1, logging, metrics,
            ],
            path: "Tests/TestSupport"),
        .testTarget(name: "BlockingTests", dependencies: ["Blocking"], path: "Tests/BlockingTests"),
        .testTarget(name: "AreaAverageTests", dependencies: ["AreaAverage"], path: "Tests/AreaAverageTests"),
        .testTarget(name: "CompressionTests", dependencies: ["Compression", "TestSupport"], path: "Tests/CompressionTests"),
        .testTarget(
            name: "CaptureProtocolTests", dependencies: ["CaptureProtocol", crypto, "TestSupport"], path: "Tests/CaptureProtocolTests"),
        .testTarget(name: "ModelsTests", dependencies: ["CaptureProtocol", "Models", "TestSupport"], path: "Tests/ModelsTests"),
        .testTarget(
            name: "AttestationTests", dependencies: ["Attestation", "CaptureProtocol", "Models", "SimulatedDevice", "TestSupport", crypto],
            path: "Tests/AttestationTests"),
        .testTarget(
            name: "CaptureKitTests",
            dependencies: [
                "CaptureKit", "CaptureProtocol", "Compression", "Depth", "JPEGMetadata", "Models", "Movie", "RialClient",
                "SimulatedDevice", "TestSupport", "VideoChain",
                crypto, grdb, nioCore, nioHTTP1, nioPosix, nioSSL,
            ],
            path: "Tests/CaptureKitTests"),
        .testTarget(
            name: "SimulatedCameraTests",
            dependencies: [
                "CaptureKit", "CaptureProtocol", "Depth", "Models", "Movie", "Scene", "SimulatedCamera", "TestSupport", "VideoChain",
                crypto,
            ],
            path: "Tests/SimulatedCameraTests"),
        .testTarget(
            name: "SimulatedDeviceTests", dependencies: ["SimulatedDevice", "Attestation", crypto], path: "Tests/SimulatedDeviceTests"),
        .testTarget(
            name: "InspectionTests", dependencies: ["Inspection", "C2PAInspector", "CSandbox", "Models", "TestSupport"],
            path: "Tests/InspectionTests",
            exclude: ["Resources"]),
        .testTarget(
            name: "SigningTests", dependencies: ["Secrets", "Signing", "CPKCS11", crypto, x509, asn1], path: "Tests/SigningTests"),
        .testTarget(
            name: "ContentCredentialsTests",
            dependencies: [
                "Blocking",
                "ContentCredentials", "CC2PA", "ManifestStore", "CaptureProtocol", "Models", "Movie", "Signing", "Site", "Imaging",
                "TestSupport",
                crypto,
            ],
            path: "Tests/ContentCredentialsTests"),
        .testTarget(
            name: "ManifestStoreTests", dependencies: ["ManifestStore", "TestSupport"],
            path: "Tests/ManifestStoreTests"),
        .testTarget(
            name: "DepthTests", dependencies: ["CaptureProtocol", "Depth", "Imaging", "Models", "CZlib"],
            path: "Tests/DepthTests", swiftSettings: computing),
        .testTarget(
            name: "JPEGMetadataTests", dependencies: ["JPEGMetadata", "Imaging", "Models", "TestSupport"],
            path: "Tests/JPEGMetadataTests"),
        .testTarget(
            name: "ImagingTests", dependencies: ["Imaging", "JPEGMetadata", "CPNG", "CTurboJPEG"],
            path: "Tests/ImagingTests", swiftSettings: computing),
        .testTarget(
            name: "ShareCardTests", dependencies: ["ShareCard", "Imaging", "CaptureProtocol", "Models"],
            path: "Tests/ShareCardTests", swiftSettings: computing),
        .testTarget(
            name: "SceneTests", dependencies: ["CaptureProtocol", "Compression", "Scene", "Depth", "Imaging", "Models"],
            path: "Tests/SceneTests"),
        .testTarget(
            name: "EvidenceTests", dependencies: ["Evidence", "CaptureProtocol", "Models", "TestSupport"],
            path: "Tests/EvidenceTests"),
        .testTarget(
            name: "EvidenceAssemblerTests",
            dependencies: [
                "Blocking", "CaptureProtocol", "ContentCredentials", "Delivery", "Evidence", "EvidenceAssembler", "Imaging",
                "ManifestStore", "MediaStore", "Models", "ObjectStorage", "Persistence", "ServiceRuntime", "ShareCard", "Signing",
                "TestSupport", "TransparencyLog", coreMetrics, logging, loggingTests, metricsTests,
            ],
            path: "Tests/EvidenceAssemblerTests"),
        .testTarget(
            name: "VideoChainTests", dependencies: ["VideoChain", "CaptureProtocol", "Depth", "Models", "Movie", crypto],
            path: "Tests/VideoChainTests"),
        .testTarget(
            name: "MovieTests", dependencies: ["Movie", "TestSupport", crypto], path: "Tests/MovieTests"),
        .testTarget(
            name: "VideoDecodingTests", dependencies: ["Inspection", "Movie", "TestSupport", "VideoDecoder", "VideoDecoding"],
            path: "Tests/VideoDecodingTests"),
        .testTarget(
            name: "TransparencyLogTests", dependencies: ["CaptureProtocol", "TestSupport", "TransparencyLog"],
            path: "Tests/TransparencyLogTests", exclude: ["Reference"]),
        .testTarget(name: "MultipartTests", dependencies: ["Multipart"], path: "Tests/MultipartTests"),
        .testTarget(
            name: "ObjectStorageTests",
            dependencies: [
                "CaptureProtocol", "Models", "ObjectStorage", "Observability", "Secrets", "TestSupport", crypto, httpClient, nioCore,
                nioHTTP1, logging,
            ],
            path: "Tests/ObjectStorageTests"),
        .testTarget(
            name: "MediaStoreTests",
            dependencies: ["Blocking", "CaptureProtocol", "MediaStore", "Models", "Movie", "ObjectStorage", "TestSupport"],
            path: "Tests/MediaStoreTests"),
        .testTarget(
            name: "PersistenceTests", dependencies: ["Persistence", "TestSupport", logging, lifecycle], path: "Tests/PersistenceTests"),
        .testTarget(
            name: "MessagingTests", dependencies: ["Messaging", "CRdKafka", "Secrets", "TestSupport", logging, lifecycle],
            path: "Tests/MessagingTests"),
        .testTarget(
            name: "RialClientTests",
            dependencies: [
                "Attestation", "CaptureKit", "Evidence", "HTTPServing", "RialClient", "RialCLI", "SimulatedDevice", "CaptureProtocol",
                "Models",
                "Messaging", "Persistence", "TestSupport", "TransparencyLog", crypto, nioCore,
                hummingbird,
                logging, httpTypes, arguments,
            ],
            path: "Tests/RialClientTests"),
        .testTarget(
            name: "RialCLITests",
            dependencies: [
                "CaptureProtocol", "HTTPServing", "Models", "ObjectStorage", "Persistence", "RialCLI", "ServiceRuntime", "Signing",
                "TestSupport", "TransparencyLog", crypto, arguments, httpClient, httpTypes, hummingbird, logging, nioCore, nioHTTP1,
            ],
            path: "Tests/RialCLITests"),
        .testTarget(
            name: "HTTPServingTests",
            dependencies: ["HTTPServing", hummingbird, hummingbirdCore, lifecycleTests, logging, nioCore, nioPosix],
            path: "Tests/HTTPServingTests"),
        .testTarget(
            name: "ObservabilityTests", dependencies: ["Observability", "TestSupport", coreMetrics, logging],
            path: "Tests/ObservabilityTests"),
        .testTarget(
            name: "AttestationVerifierTests",
            dependencies: [
                "AttestationVerifier", "Attestation", "CaptureProtocol", "Delivery", "Models", "Movie", "ObjectStorage", "Observability",
                "Persistence", "ServiceRuntime", "SimulatedDevice", "TestSupport", coreMetrics, httpTypes, logging,
            ],
            path: "Tests/AttestationVerifierTests"),
        .testTarget(
            name: "DepthAnalyzerTests",
            dependencies: [
                "Blocking", "CaptureProtocol", "Compression", "Delivery", "Depth", "DepthAnalyzer", "Imaging", "Inspection", "Models",
                "Movie", "ObjectStorage", "Persistence", "TestSupport", "VideoDecoding", logging,
            ],
            path: "Tests/DepthAnalyzerTests"),
        .testTarget(
            name: "UploadSyncTests",
            dependencies: [
                "CaptureProtocol", "Delivery", "Models", "ObjectStorage", "Persistence", "TestSupport", "UploadSync", logging,
                loggingTests, lifecycleTests,
            ],
            path: "Tests/UploadSyncTests"),
        .testTarget(
            name: "TransparencyLogServiceTests",
            dependencies: [
                "CaptureProtocol", "Delivery", "Models", "ObjectStorage", "Persistence", "ServiceRuntime", "TestSupport",
                "TransparencyLog", "TransparencyLogService", coreMetrics, crypto, httpClient, logging, metricsTests,
            ],
            path: "Tests/TransparencyLogServiceTests"),
        .testTarget(
            name: "DeliveryTests",
            dependencies: [
                "Blocking", "Delivery", "Inspection", "ServiceRuntime", "Messaging", "CaptureProtocol", "Models", "ObjectStorage",
                "Observability", "Persistence", "Secrets", "TestSupport", "CRdKafka", coreMetrics, httpTypes, logging, lifecycle,
                lifecycleTests, metricsTests,
            ],
            path: "Tests/DeliveryTests"),
        .testTarget(
            name: "GatewayTests",
            dependencies: [
                "Blocking", "Compression", "Evidence", "Gateway", "CaptureProtocol", "Inspection", "ManifestStore", "Models", "Movie",
                "Multipart", "Observability", "Persistence", "Delivery",
                "Secrets", "ServiceRuntime", "SimulatedDevice", "Site", "ObjectStorage", "TransparencyLog",
                "TestSupport", coreMetrics, crypto, httpTypes, hummingbird, hummingbirdCore, nioCore, nioEmbedded, nioHTTP1, nioHTTPTypes,
                nioSSL, logging,
            ],
            path: "Tests/GatewayTests"),
        .testTarget(
            name: "SiteTests", dependencies: ["Site", "CaptureProtocol", "Models", "TestSupport"], path: "Tests/SiteTests"),
        .testTarget(
            name: "SystemTests",
            dependencies: [
                "CaptureKit", "CaptureProtocol", "Compression", "Delivery", "Depth", "HTTPServing", "Models", "Messaging", "Movie",
                "ObjectStorage",
                "SimulatedDevice",
                "Scene", "TestSupport", "TransparencyLog", "VideoChain", "ContentCredentials", "Imaging", "JPEGMetadata", "ManifestStore",
                "Secrets", "Signing", crypto,
                httpClient, httpTypes, hummingbird, hummingbirdCore, nioCore, nioHTTP1, nioSSL, logging,
            ],
            path: "Tests/SystemTests", exclude: ["Resources"]),
    ]
)

/// What is ours is built with what later versions of the language do anyway, and without a warning.
let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .treatAllWarnings(as: .error),
]
for target in package.targets where target.type != .system {
    target.swiftSettings = (target.swiftSettings ?? []) + settings
}
