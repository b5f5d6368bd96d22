import ArgumentParser
import AsyncHTTPClient
import Foundation
import RialClient

/// The results of a run, printed as JSON.
protocol MeasurementReport: Encodable, Sendable {
    /// Whether nothing failed or was skipped.
    var isClean: Bool { get }
}

enum Measurement {
    /// Runs with its own connections and prints the report.
    /// - Parameter connections: the maximum number of connections to one server.
    /// - Throws: `ExitCode.failure` after printing the report of a run that was not clean.
    static func run(connections: Int, _ measure: (HTTPClient) async throws -> some MeasurementReport) async throws {
        let httpClient = HTTPClient(eventLoopGroupProvider: .singleton, configuration: Connections.configuration(perHost: connections))
        do {
            let report = try await measure(httpClient)
            try await httpClient.shutdown()
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            Console.result(String(decoding: try encoder.encode(report), as: UTF8.self), isJSON: true)
            if !report.isClean { throw ExitCode.failure }
        } catch {
            try? await httpClient.shutdown()
            throw error
        }
    }
}
