/// The status of one check. Only `fail` counts against a capture (SPEC §3).
public enum CheckStatus: String, Codable, Sendable { case pass, fail, inconclusive, unavailable }
