package io.encbench.tpcc.database;

import java.nio.file.Path;

/**
 * How to reach the database.
 *
 * @param driver the JDBC driver's class
 * @param url the JDBC URL
 * @param passwordFile null for a user without a password
 * @param plainStatements whether nothing but plain statements is sent, one by one
 */
public record Access(
    Dialect dialect,
    String driver,
    String url,
    String user,
    Path passwordFile,
    boolean plainStatements) {}
